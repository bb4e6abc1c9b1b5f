/** A state told three times: by shape, by word and by colour, so that no one of them is needed. */
import classes from "./StatusMark.module.css";

export type Tone = "ok" | "warn" | "bad" | "info" | "idle";

const shapes: Record<Tone, React.ReactNode> = {
  ok: (
    <>
      <circle cx="6" cy="6" r="6" fill="currentColor" />
      <path d="m3.3 6.2 1.9 1.9 3.5-4" className={classes.stroke} />
    </>
  ),
  warn: (
    <>
      <path d="M6 .4 12 11.2H0Z" fill="currentColor" />
      <path d="M6 4.2v3.2M6 9.2v.1" className={classes.stroke} />
    </>
  ),
  bad: (
    <>
      <path d="M3.5 0h5L12 3.5v5L8.5 12h-5L0 8.5v-5Z" fill="currentColor" />
      <path d="m4 4 4 4M8 4 4 8" className={classes.stroke} />
    </>
  ),
  info: (
    <>
      <circle cx="6" cy="6" r="5" className={classes.ring} />
      <circle cx="6" cy="6" r="2.2" fill="currentColor" />
    </>
  ),
  idle: <circle cx="6" cy="6" r="5" className={classes.ring} strokeDasharray="2.6 1.4" />,
};

export function StatusMark({ tone, children }: { tone: Tone; children: React.ReactNode }) {
  return (
    <span className={classes.mark} data-tone={tone}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        {shapes[tone]}
      </svg>
      <span className={classes.word}>{children}</span>
    </span>
  );
}
