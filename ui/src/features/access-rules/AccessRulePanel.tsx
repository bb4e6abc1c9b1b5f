/** One rule: what it grants, in a sentence; admins change it here. */
import { Button, Skeleton } from "@mantine/core";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAct, useAnswer } from "@/app/api/queries";
import { useIsAdmin } from "@/app/api/session";
import { ErrorState } from "@/components/ErrorState";
import { FormBody } from "@/components/FormBody";
import { SidePanel } from "@/components/SidePanel";
import { toast } from "@/components/toasts";
import { useForm } from "@/components/useForm";
import type { AccessRule, Vocabulary } from "@/gen/api";
import { complete, draftOf, sentenceOf } from "./draft";
import { RemoveRule } from "./RuleActs";
import { RuleFields } from "./RuleFields";

export function AccessRulePanel() {
  const { id } = useParams({ from: "/in/shell/settings/access-rules/$id" });
  const navigate = useNavigate();
  const admin = useIsAdmin();
  const close = () => void navigate({ to: "/settings/access-rules", search: true });
  const rule = useAnswer("identity.access_rule", { id });
  const vocabulary = useAnswer("identity.vocabulary", {}, { staleTime: 600_000 });
  const error = rule.error ?? vocabulary.error;
  const again = () => void Promise.all([rule.refetch(), vocabulary.refetch()]);
  return (
    <SidePanel reading title={rule.data?.name ?? "Access rule"} onClose={close} wide>
      {error && <ErrorState error={error} retry={again} />}
      {!error && !(rule.data && vocabulary.data) && <Skeleton height={320} />}
      {rule.data && vocabulary.data && !admin && <p>{said(rule.data, vocabulary.data)}</p>}
      {rule.data && vocabulary.data && admin && (
        <Edit key={rule.data.updated} rule={rule.data} vocabulary={vocabulary.data} onClose={close} />
      )}
    </SidePanel>
  );
}

function said(rule: AccessRule, vocabulary: Vocabulary): string {
  const entity = vocabulary.entities.find(({ name }) => name === rule.entity);
  return sentenceOf(draftOf(rule), rule.teams, entity);
}

function Edit({
  rule,
  vocabulary,
  onClose,
}: {
  rule: AccessRule;
  vocabulary: Vocabulary;
  onClose: () => void;
}) {
  const save = useAct("identity.change_access_rule", ["identity.access_rule", "audit"]);
  const [removing, setRemoving] = useState(false);
  const form = useForm(draftOf(rule), async ({ entity: _, ...draft }) => {
    await save.mutateAsync({ id: rule.id, ...draft, conditions: complete(draft.conditions) });
    toast("Rule saved");
  });
  return (
    <>
      <FormBody form={form} act="Save">
        <RuleFields form={form} vocabulary={vocabulary} known={rule.teams} fixedEntity />
      </FormBody>
      <div>
        <Button variant="outline" color="red" onClick={() => setRemoving(true)}>
          Remove rule
        </Button>
      </div>
      {removing && <RemoveRule rule={rule} onClose={() => setRemoving(false)} onRemoved={onClose} />}
    </>
  );
}
