/** The same house from a terminal. */
import { Copy } from "@/components/Copy";
import { Section } from "@/components/Page";
import classes from "./Welcome.module.css";

export function CommandLine() {
  return (
    <Section
      title="From a terminal"
      about="Everything here can also be done with the command line and the API."
    >
      <div className={classes.commands}>
        <Copy label="Command to sign in" text={`argosy login ${window.location.origin}`} />
        <Copy
          label="Command that asks the API"
          text={`curl -H "Authorization: $ARGOSY_API_KEY" ${window.location.origin}/api/me`}
        />
      </div>
    </Section>
  );
}
