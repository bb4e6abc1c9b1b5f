/** Nothing here: what this is, and the one next thing to do; where filters left nothing, the way back. */
import { Button } from "@mantine/core";
import classes from "./States.module.css";

type Props = {
  icon?: React.ReactNode;
  title: string;
  children?: React.ReactNode;
  action?: React.ReactNode;
  onClear?: () => void;
};

export function EmptyState({ icon, title, children, action, onClear }: Props) {
  return (
    <div className={classes.state}>
      {icon && <div className={classes.icon}>{icon}</div>}
      <h2>{title}</h2>
      {children && <p className={classes.words}>{children}</p>}
      {onClear ? (
        <div className={classes.action}>
          <Button variant="default" onClick={onClear}>
            Clear the filters
          </Button>
        </div>
      ) : (
        action && <div className={classes.action}>{action}</div>
      )}
    </div>
  );
}
