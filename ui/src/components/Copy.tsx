/** A text to take along: shown in monospace with a button that copies it and says so. */
import { Button } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useState } from "react";
import classes from "./Copy.module.css";
import { toast } from "./toasts";

export function Copy({ text, label, autoFocus }: { text: string; label: string; autoFocus?: boolean }) {
  const [copied, setCopied] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 2500);
    } catch {
      toast("The browser did not allow it: select the text and copy it yourself.", { tone: "warn" });
    }
  }
  return (
    <div className={classes.copy}>
      <code title={label}>{text}</code>
      <Button
        variant="default"
        data-autofocus={autoFocus}
        onClick={copy}
        leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      >
        {copied ? "Copied" : "Copy"}
        <span className="srOnly">: {label}</span>
      </Button>
    </div>
  );
}
