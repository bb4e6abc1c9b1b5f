/** While what is asked for is still on its way and there is nothing to show in its place: better than an empty page. */
import { Loader } from "@mantine/core";
import { Mark } from "@/components/Mark";
import classes from "./Opening.module.css";

/** Before the shell: the server has yet to say who is signed in. */
export function Opening() {
  return (
    <main className={classes.opening} aria-busy="true">
      <Mark size={40} />
      <p role="status">Opening Argosy…</p>
    </main>
  );
}

/** Within the shell: the page's own code has yet to come. */
export function PageOpening() {
  return (
    <div className={classes.opening} aria-busy="true">
      <Loader size={20} aria-label="Opening the page" />
    </div>
  );
}
