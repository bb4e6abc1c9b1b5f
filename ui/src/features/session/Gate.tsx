/** The quiet page outside the house: sign-in, invitation, first password. */
import { Mark } from "@/components/Mark";
import { useTitle } from "@/components/Page";
import classes from "./Gate.module.css";

export function Gate({
  title,
  about,
  children,
}: {
  title: string;
  about?: React.ReactNode;
  children: React.ReactNode;
}) {
  useTitle(title);
  return (
    <main className={classes.gate}>
      <div className={classes.card}>
        <div className={classes.brand}>
          <Mark size={32} />
          <span>Argosy</span>
        </div>
        <h1>{title}</h1>
        {about && <p className={classes.about}>{about}</p>}
        {children}
      </div>
    </main>
  );
}
