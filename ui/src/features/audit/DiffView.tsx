/** Before and after, side by side; what changed stands out by a sign and a tint, what stayed can be shown. */
import { Button } from "@mantine/core";
import { useState } from "react";
import classes from "./DiffView.module.css";
import { type Change, changes } from "./diff";

const SIGNS = { added: "+", removed: "−", changed: "~", same: "" } as const;
const WORDS = { added: "Added", removed: "Removed", changed: "Changed", same: "Same" } as const;

export function DiffView({ before, after }: { before: unknown; after: unknown }) {
  const [all, setAll] = useState(false);
  const found = changes(before, after);
  const same = found.filter((change) => change.kind === "same").length;
  const shown = all ? found : found.filter((change) => change.kind !== "same");
  if (found.length === 0) return <p className="dim">Nothing was recorded of before and after.</p>;
  return (
    <div className={classes.diff}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span className="srOnly">Kind</span>
            </th>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((change) => (
            <Row key={change.path} change={change} />
          ))}
        </tbody>
      </table>
      {same > 0 && (
        <Button variant="subtle" color="gray" size="compact-xs" onClick={() => setAll(!all)}>
          {all ? "Only what changed" : `Show ${same} unchanged`}
        </Button>
      )}
    </div>
  );
}

function Row({ change }: { change: Change }) {
  return (
    <tr data-kind={change.kind}>
      <td className={classes.sign} title={WORDS[change.kind]}>
        <span aria-hidden="true">{SIGNS[change.kind]}</span>
        <span className="srOnly">{WORDS[change.kind]}</span>
      </td>
      <th scope="row">{change.path}</th>
      <td data-side="before">{shownValue(change.before)}</td>
      <td data-side="after">{shownValue(change.after)}</td>
    </tr>
  );
}

function shownValue(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
