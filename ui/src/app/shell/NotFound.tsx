/** No such page: inside the shell when there is one, and with a way home. */

import { IconCompass } from "@tabler/icons-react";
import { EmptyState } from "@/components/EmptyState";
import { LinkButton } from "@/components/LinkButton";
import { useTitle } from "@/components/Page";

export function NotFound() {
  useTitle("Not found");
  return (
    <EmptyState
      icon={<IconCompass size={20} stroke={1.5} />}
      title="There is no such page"
      action={<LinkButton to="/">Go home</LinkButton>}
    >
      The address may be mistyped, or what was here is gone or belongs to another account.
    </EmptyState>
  );
}
