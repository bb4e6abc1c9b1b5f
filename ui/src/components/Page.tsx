/** A page's frame: its title (also the document's), one sentence on what it is, and its acts. */
import { useEffect } from "react";
import classes from "./Page.module.css";

type Props = {
  title: string;
  about?: React.ReactNode;
  actions?: React.ReactNode;
  narrow?: boolean;
  children: React.ReactNode;
};

export function Page({ title, about, actions, narrow, children }: Props) {
  useTitle(title);
  return (
    <div className={classes.page} data-narrow={narrow || undefined}>
      <header className={classes.head}>
        <div>
          <h1>{title}</h1>
          {about && <p className={classes.about}>{about}</p>}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function useTitle(title: string) {
  useEffect(() => {
    document.title = `${title} · Argosy`;
  }, [title]);
}

/** A titled part of a page. */
export function Section(props: {
  title: string;
  about?: React.ReactNode;
  actions?: React.ReactNode;
  children: React.ReactNode;
}) {
  return (
    <section className={classes.section} aria-label={props.title}>
      <header className={classes.sectionHead}>
        <div>
          <h2>{props.title}</h2>
          {props.about && <p className={classes.about}>{props.about}</p>}
        </div>
        {props.actions && <div className={classes.actions}>{props.actions}</div>}
      </header>
      {props.children}
    </section>
  );
}
