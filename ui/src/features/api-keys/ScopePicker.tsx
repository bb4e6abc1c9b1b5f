/** What a key may do: all that its owner may, or only what is ticked here. */
import { Button, Checkbox, SegmentedControl, Skeleton } from "@mantine/core";
import { useAnswer } from "@/app/api/queries";
import { ErrorState } from "@/components/ErrorState";
import classes from "./ScopePicker.module.css";
import { covered, grouped, readOnly, verbShown } from "./scopes";

type Props = { value: string[] | null; onChange: (scopes: string[] | null) => void; error?: React.ReactNode };

export function ScopePicker({ value, onChange, error }: Props) {
  const answer = useAnswer("identity.scopes", {}, { staleTime: 600_000 });
  const all = answer.data?.scopes ?? [];
  return (
    <fieldset className={classes.picker}>
      <legend>Scopes</legend>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label="Scopes"
        data={[
          { value: "all", label: "All its owner may do" },
          { value: "some", label: "Only some" },
        ]}
        value={value === null ? "all" : "some"}
        onChange={(choice) => onChange(choice === "all" ? null : readOnly(all))}
      />
      {error && (
        <p role="alert" className={classes.error}>
          {error}
        </p>
      )}
      {value !== null && answer.error && (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      )}
      {value !== null && answer.isPending && <Skeleton height={240} />}
      {value !== null && all.length > 0 && (
        <>
          <div className={classes.quick}>
            <span className="dim tabular">{value.length} chosen</span>
            <Button variant="subtle" size="compact-xs" onClick={() => onChange(readOnly(all))}>
              Read only
            </Button>
            <Button variant="subtle" size="compact-xs" onClick={() => onChange([])}>
              None
            </Button>
          </div>
          <div className={classes.groups}>
            {grouped(all).map((group) => (
              <fieldset key={group.resource} className={classes.group}>
                <legend>{group.title}</legend>
                <span className={classes.verbs}>
                  {group.scopes.map(({ name, verb, allows }) => (
                    <Checkbox
                      key={name}
                      label={verbShown(verb)}
                      title={allows}
                      checked={value.includes(name) || covered(name, value)}
                      disabled={covered(name, value)}
                      onChange={(event) => onChange(toggled(value, name, event.currentTarget.checked))}
                    />
                  ))}
                </span>
              </fieldset>
            ))}
          </div>
        </>
      )}
    </fieldset>
  );
}

function toggled(chosen: readonly string[], name: string, on: boolean): string[] {
  return on ? [...chosen, name] : chosen.filter((one) => one !== name);
}
