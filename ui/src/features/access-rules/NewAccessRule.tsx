/** Writes a new rule. */
import { Skeleton } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useAct, useAnswer } from "@/app/api/queries";
import { ErrorState } from "@/components/ErrorState";
import { FormBody } from "@/components/FormBody";
import { SidePanel } from "@/components/SidePanel";
import { toast } from "@/components/toasts";
import { useForm } from "@/components/useForm";
import type { Vocabulary } from "@/gen/api";
import { complete, EMPTY } from "./draft";
import { RuleFields } from "./RuleFields";

export function NewAccessRule() {
  const navigate = useNavigate();
  const close = () => void navigate({ to: "/settings/access-rules", search: true });
  const vocabulary = useAnswer("identity.vocabulary", {}, { staleTime: 600_000 });
  return (
    <SidePanel title="Create access rule" onClose={close} wide>
      {vocabulary.error && <ErrorState error={vocabulary.error} retry={() => void vocabulary.refetch()} />}
      {vocabulary.isPending && <Skeleton height={320} />}
      {vocabulary.data && <Write vocabulary={vocabulary.data} onClose={close} />}
    </SidePanel>
  );
}

function Write({ vocabulary, onClose }: { vocabulary: Vocabulary; onClose: () => void }) {
  const create = useAct("identity.create_access_rule", ["identity.access_rule", "audit"]);
  const form = useForm({ ...EMPTY, entity: vocabulary.entities[0]?.name ?? "" }, async (draft) => {
    const rule = await create.mutateAsync({ ...draft, conditions: complete(draft.conditions) });
    toast(`The rule ${rule.name} holds now`);
    onClose();
  });
  return (
    <FormBody form={form} act="Create rule" onCancel={onClose}>
      <RuleFields form={form} vocabulary={vocabulary} />
    </FormBody>
  );
}
