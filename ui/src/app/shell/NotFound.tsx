/** No such page, with a way home. */
import { LinkButton } from "@/components/LinkButton";
import { Page } from "@/components/Page";

export function NotFound() {
  return (
    <Page
      title="There is no such page"
      about="The address may be mistyped, or what was here is gone or belongs to another account."
      narrow
    >
      <LinkButton to="/">Go home</LinkButton>
    </Page>
  );
}
