/** Asks before a page with unsaved changes is left, inside the app and when the tab closes. */
import { Button } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import classes from "./Confirm.module.css";
import { Dialog } from "./SidePanel";

export function LeaveGuard({ dirty }: { dirty: () => boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && dirty(),
    enableBeforeUnload: dirty,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return (
    <Dialog onClose={blocker.reset} title="Leave without saving?">
      <div className={classes.form}>
        <p className="soft">What you changed here is not saved and will be lost.</p>
        <div className={classes.acts}>
          <Button variant="default" onClick={blocker.proceed}>
            Leave
          </Button>
          <Button onClick={blocker.reset} data-autofocus>
            Keep editing
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
