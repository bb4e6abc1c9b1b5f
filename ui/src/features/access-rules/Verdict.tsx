/** The answer: yes or no, the reason in a sentence, and what each rule had to say. */
import { Link } from "@tanstack/react-router";
import { EmptyState } from "@/components/EmptyState";
import { StatusMark } from "@/components/StatusMark";
import type { WhyAnswer } from "@/gen/api";
import classes from "./Why.module.css";

const DECIDED: Record<WhyAnswer["decided_by"], string> = {
  admin: "Decided by the role: admins may do everything.",
  rule: "Decided by a rule.",
  no_rule: "Decided by default: what no rule grants is denied.",
  scope: "Decided by the scopes of the API key.",
  other_account: "Decided by the account: it belongs to another one.",
};

export function Verdict({ answer }: { answer: WhyAnswer | undefined }) {
  if (!answer) {
    return (
      <div className={classes.verdict}>
        <EmptyState title="No question yet">
          Choose an action and ask. Each rule that speaks of this kind of thing will say whether it applies,
          and why.
        </EmptyState>
      </div>
    );
  }
  return (
    <div className={classes.verdict} aria-live="polite">
      <div className={classes.answer} data-allowed={answer.allowed}>
        <StatusMark tone={answer.allowed ? "ok" : "bad"}>
          <strong>{answer.allowed ? "Allowed" : "Denied"}</strong>
        </StatusMark>
        <p className={classes.said}>{answer.sentence}</p>
        <p className="dim">{DECIDED[answer.decided_by]}</p>
      </div>
      {answer.rules.length === 0 && <p className={classes.none}>No rule speaks of this kind of thing.</p>}
      <ul>
        {answer.rules.map(({ rule, applies, reason }) => (
          <li key={rule.id}>
            <StatusMark tone={applies ? "ok" : "idle"}>{applies ? "Applies" : "Does not"}</StatusMark>
            <div>
              <Link to="/settings/access-rules/$id" params={{ id: rule.id }}>
                {rule.name}
              </Link>
              <p className="dim">{reason}</p>
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}
