/** Home: the first steps until they are done or put away, then who is here and what happened lately. */
import { Button, Skeleton } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { IconCircle, IconCircleCheckFilled } from "@tabler/icons-react";
import { useEffect } from "react";
import { useIsAdmin, useMe } from "@/app/api/session";
import { LinkButton } from "@/components/LinkButton";
import { Page } from "@/components/Page";
import { CommandLine } from "./CommandLine";
import { Recent } from "./Recent";
import { type Step, steps } from "./steps";
import { useFound } from "./useFound";
import classes from "./Welcome.module.css";

export function Welcome() {
  const me = useMe();
  const admin = useIsAdmin();
  const [away, setAway] = useLocalStorage({
    key: `argosy.welcome.${me.id}`,
    defaultValue: "shown",
    getInitialValueInEffect: false,
  });
  return (
    <Page
      title={`${me.account.name}`}
      about={`Signed in as ${me.name || me.email}, ${admin ? "an admin" : "a user"} of this account.`}
      narrow
    >
      {away !== "away" && <FirstSteps known={away === "done"} onState={setAway} />}
      {admin && <Recent />}
      <CommandLine />
    </Page>
  );
}

type FirstStepsProps = {
  /** All were done when this was last looked at: it opens folded, and nothing below it jumps. */
  known: boolean;
  onState: (state: "shown" | "done" | "away") => void;
};

function FirstSteps({ known, onState }: FirstStepsProps) {
  const admin = useIsAdmin();
  const found = useFound();
  const mine = steps.filter((step) => admin || !step.admin);
  const done = found ? mine.filter((step) => step.done(found)).length : 0;
  const next = found && mine.find((step) => !step.done(found));
  const all = found ? next === undefined : known;
  useEffect(() => {
    if (all !== known) onState(all ? "done" : "shown");
  });
  return (
    <section className={classes.steps} aria-label="First steps">
      <header>
        <h2>{all ? "First steps: all done" : "First steps"}</h2>
        <span className={classes.progress}>
          <progress value={all ? mine.length : done} max={mine.length} aria-label="First steps done" />
          <span className="tabular dim">
            {all ? mine.length : done} of {mine.length}
          </span>
        </span>
        <Button variant="subtle" color="gray" onClick={() => onState("away")}>
          Put away
        </Button>
      </header>
      <ol hidden={all}>
        {mine.map((step) => (
          <StepRow key={step.id} step={step} done={found && step.done(found)} next={step === next} />
        ))}
      </ol>
    </section>
  );
}

function StepRow({ step, done, next }: { step: Step; done: boolean | undefined; next: boolean }) {
  return (
    <li data-done={done || undefined}>
      {done === undefined ? (
        <Skeleton circle height={18} />
      ) : done ? (
        <IconCircleCheckFilled size={18} role="img" aria-label="Done" className={classes.tick} />
      ) : (
        <IconCircle size={18} stroke={1.5} role="img" aria-label="Not done yet" className="dim" />
      )}
      <div>
        <h3>{step.title}</h3>
        <p>{step.why}</p>
      </div>
      {done === false && (
        <LinkButton to={step.to} variant={next ? "filled" : "default"}>
          {step.act}
        </LinkButton>
      )}
    </li>
  );
}
