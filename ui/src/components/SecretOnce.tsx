/** A secret that is shown this one time. It lives in this component's props only: no cache, no URL, no log. */
import { Button } from "@mantine/core";
import { Copy } from "./Copy";
import classes from "./SecretOnce.module.css";
import { StatusMark } from "./StatusMark";

type Props = {
  title: string;
  secret: string;
  label: string;
  warning: string;
  children?: React.ReactNode;
  onDone: () => void;
};

export function SecretOnce({ title, secret, label, warning, children, onDone }: Props) {
  return (
    <div className={classes.panel}>
      <h2>{title}</h2>
      <div className={classes.warning}>
        <StatusMark tone="warn">{warning}</StatusMark>
      </div>
      <Copy text={secret} label={label} autoFocus />
      {children}
      <div className={classes.done}>
        <Button onClick={onDone}>I have stored it</Button>
      </div>
    </div>
  );
}
