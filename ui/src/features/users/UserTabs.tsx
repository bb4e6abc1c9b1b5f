/** Who is here, and who is asked to come. */
import { Segments } from "@/components/Segments";

export function UserTabs() {
  return (
    <Segments
      label="Users"
      links={[
        { says: "Members", to: "/settings/users", activeOptions: { exact: true, includeSearch: false } },
        { says: "Invitations", to: "/settings/users/invitations" },
      ]}
    />
  );
}
