/** Why may somebody do something, or why not: the question on the left, the verdict of each rule on the right. */
import { Button, Select, TagsInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { ask } from "@/app/api/client";
import { useAnswer } from "@/app/api/queries";
import { useIsAdmin, useMe } from "@/app/api/session";
import { FormError } from "@/components/FormError";
import { LinkButton } from "@/components/LinkButton";
import { Page } from "@/components/Page";
import { useForm } from "@/components/useForm";
import type { EntityVocabulary } from "@/gen/api";
import { actionShown, attributeShown, capitalised, LABEL } from "./draft";
import { labelsOf } from "./labels";
import { Verdict } from "./Verdict";
import { WhoField } from "./WhoField";
import classes from "./Why.module.css";

export function Why() {
  const me = useMe();
  const admin = useIsAdmin();
  const given = useSearch({ from: "/in/shell/settings/access-rules/why" });
  const vocabulary = useAnswer("identity.vocabulary", {}, { staleTime: 600_000 });
  const verdict = useMutation({
    mutationFn: (question: Parameters<typeof ask<"identity.why">>[1]) => ask("identity.why", question),
  });
  const form = useForm(
    {
      user: given.user ?? me.email,
      entity: given.entity ?? "applications",
      action: given.action ?? "",
      resource: "",
      attributes: {} as Record<string, string[]>,
      labels: [] as string[],
      tags: [] as string[],
      related_tags: {} as Record<string, string[]>,
    },
    (values) => verdict.mutateAsync({ ...values, labels: labelsOf(values.labels) }),
  );
  const entity = vocabulary.data?.entities.find((one) => one.name === form.values.entity);
  return (
    <Page
      title="Why?"
      about="Ask whether somebody may do something. The thing need not exist: describe it, and see what each rule says."
      actions={
        <LinkButton variant="default" to="/settings/access-rules">
          All rules
        </LinkButton>
      }
    >
      <div className={classes.columns}>
        <form onSubmit={form.onSubmit} className={classes.form}>
          <WhoField {...form.field("user")} disabled={!admin} />
          <Select
            label="Kind of thing"
            data={(vocabulary.data?.entities ?? []).map(({ name, title }) => ({
              value: name,
              label: title || name,
            }))}
            allowDeselect={false}
            value={form.values.entity}
            error={form.errorAt("entity")}
            onChange={(name) =>
              name &&
              form.set({ entity: name, action: "", attributes: {}, labels: [], tags: [], related_tags: {} })
            }
          />
          <Select
            label="Action"
            placeholder="Choose an action"
            data={(entity?.actions ?? []).map((action) => ({
              value: action,
              label: capitalised(actionShown(action)),
            }))}
            searchable
            value={form.values.action || null}
            error={form.errorAt("action")}
            onChange={(action) => form.set({ action: action ?? "" })}
          />
          <TextInput
            label="Its name"
            description="Optional: what the answer shall call it."
            autoComplete="off"
            {...form.text("resource")}
          />
          {entity && (
            <Described
              entity={entity}
              attributes={form.values.attributes}
              onAttributes={(attributes) => form.set({ attributes })}
            />
          )}
          {entity?.labelled && (
            <TagsInput
              label="Its labels"
              placeholder="key=value, then Enter"
              acceptValueOnBlur
              {...form.field("labels")}
            />
          )}
          {entity?.tagged && (
            <TagsInput
              label="Its tags"
              placeholder="Tag, then Enter"
              acceptValueOnBlur
              {...form.field("tags")}
            />
          )}
          {entity?.related.map((related) => (
            <TagsInput
              key={related}
              label={`Tags of its ${attributeShown(related)}`}
              placeholder="Tag, then Enter"
              acceptValueOnBlur
              value={form.values.related_tags[related] ?? []}
              onChange={(tags) =>
                form.set({ related_tags: { ...form.values.related_tags, [related]: tags } })
              }
            />
          ))}
          {form.error && <FormError error={form.error} />}
          <div>
            <Button type="submit" loading={form.submitting} disabled={form.values.action === ""}>
              Ask
            </Button>
          </div>
        </form>
        <Verdict answer={verdict.data} />
      </div>
    </Page>
  );
}

type DescribedProps = {
  entity: EntityVocabulary;
  attributes: Record<string, string[]>;
  onAttributes: (attributes: Record<string, string[]>) => void;
};

function Described({ entity, attributes, onAttributes }: DescribedProps) {
  const plain = entity.attributes.filter((attribute) => attribute !== LABEL);
  return (
    <div className={classes.attributes}>
      {plain.map((attribute) => (
        <TagsInput
          key={attribute}
          label={`Its ${attributeShown(attribute)}`}
          value={attributes[attribute] ?? []}
          acceptValueOnBlur
          onChange={(values) => onAttributes({ ...attributes, [attribute]: values })}
        />
      ))}
    </div>
  );
}
