/** Nothing here yet: what this is, and the one next thing to do. */
import classes from "./States.module.css";

type Props = { icon?: React.ReactNode; title: string; children?: React.ReactNode; action?: React.ReactNode };

export function EmptyState({ icon, title, children, action }: Props) {
  return (
    <div className={classes.state}>
      {icon && <div className={classes.icon}>{icon}</div>}
      <h2>{title}</h2>
      {children && <p className={classes.words}>{children}</p>}
      {action && <div className={classes.action}>{action}</div>}
    </div>
  );
}
