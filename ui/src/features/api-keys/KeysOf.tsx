/** The keys of one service account, beside its details. */

import { Button, Skeleton } from "@mantine/core";
import { useState } from "react";
import { usePages } from "@/app/api/queries";
import { ErrorState } from "@/components/ErrorState";
import { LinkButton } from "@/components/LinkButton";
import type { ApiKey, NamedRef } from "@/gen/api";
import classes from "./ApiKeys.module.css";
import { Expiry } from "./expiry";
import { RevokeKey } from "./RevokeKey";

export function KeysOf({ owner }: { owner: NamedRef }) {
  const listing = usePages("identity.api_keys", { owner: owner.id, limit: 100 });
  const [revoking, setRevoking] = useState<ApiKey>();
  return (
    <section className={classes.keys} aria-label="API keys">
      <header>
        <h3>API keys</h3>
        <LinkButton variant="default" to="/settings/api-keys/new" search={{ owner: owner.id }}>
          Create key
        </LinkButton>
      </header>
      {listing.error && <ErrorState error={listing.error} retry={listing.retry} />}
      {listing.loading && <Skeleton height={88} />}
      {!listing.loading && !listing.error && listing.items.length === 0 && (
        <p className="dim">No keys: nothing can sign in as {owner.name} yet.</p>
      )}
      <ul>
        {listing.items.map((apiKey) => (
          <li key={apiKey.id}>
            <span className={classes.name}>
              <span>{apiKey.name}</span>
              <code className="dim">{apiKey.prefix}…</code>
            </span>
            <Expiry expires={apiKey.expires} />
            <Button variant="default" onClick={() => setRevoking(apiKey)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      {revoking && <RevokeKey apiKey={revoking} onClose={() => setRevoking(undefined)} />}
    </section>
  );
}
