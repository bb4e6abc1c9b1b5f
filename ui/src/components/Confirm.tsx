/** Asks before harm, and names what will end. With `type`, the word must be typed: for what cannot be undone. */
import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { asApiError } from "@/app/api/errors";
import classes from "./Confirm.module.css";
import { FormError } from "./FormError";
import { Dialog } from "./SidePanel";

type Props = {
  title: string;
  /** What will happen, one line each. */
  consequences: readonly string[];
  act: string;
  type?: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
};

export function Confirm({ title, consequences, act, type, onConfirm, onClose }: Props) {
  const [typed, setTyped] = useState("");
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<unknown>();
  async function confirm(event: React.FormEvent) {
    event.preventDefault();
    setWorking(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (problem) {
      setError(problem);
      setWorking(false);
    }
  }
  return (
    <Dialog onClose={onClose} title={title}>
      <form onSubmit={confirm} className={classes.form}>
        <ul className={classes.list}>
          {consequences.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        {type !== undefined && (
          <TextInput
            label={`Type ${type} to confirm`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        )}
        {error !== undefined && <FormError error={asApiError(error)} />}
        <div className={classes.acts}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            color="red"
            loading={working}
            disabled={type !== undefined && typed !== type}
            data-autofocus={type === undefined || undefined}
          >
            {act}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
