/** The fields of a rule, with the sentence that they amount to always in view. */
import { Checkbox, SegmentedControl, Select, Switch, TagsInput, TextInput } from "@mantine/core";
import { useAnswer } from "@/app/api/queries";
import type { Form } from "@/components/useForm";
import type { EntityVocabulary, NamedRef, Vocabulary } from "@/gen/api";
import { TeamPicker } from "../teams/TeamPicker";
import { Conditions } from "./Conditions";
import { actionShown, attributeShown, capitalised, type Draft, sentenceOf } from "./draft";
import classes from "./RuleFields.module.css";

type Props = {
  form: Form<Draft>;
  vocabulary: Vocabulary;
  known?: readonly NamedRef[];
  fixedEntity?: boolean;
};

export function RuleFields({ form, vocabulary, known, fixedEntity }: Props) {
  const entity = vocabulary.entities.find((one) => one.name === form.values.entity);
  const teams = useAnswer("identity.teams", { limit: 200 });
  const names = [...(teams.data?.items ?? []), ...(known ?? [])];
  return (
    <>
      <p className={classes.sentence} aria-live="polite" data-off={!form.values.enabled || undefined}>
        {sentenceOf(form.values, names, entity)}
      </p>
      <TextInput
        label="Name"
        maxLength={120}
        autoComplete="off"
        // The panel may have opened before the fields came.
        autoFocus={!fixedEntity}
        data-autofocus
        {...form.text("name")}
      />
      <TeamPicker label="Teams" everyone known={known} {...form.field("teams")} />
      <Select
        label="Applies to"
        data={vocabulary.entities.map(({ name, title }) => ({ value: name, label: title || name }))}
        allowDeselect={false}
        disabled={fixedEntity}
        description={
          fixedEntity
            ? "What a rule applies to stays; for another kind of thing, write another rule."
            : undefined
        }
        value={form.values.entity || null}
        error={form.errorAt("entity")}
        onChange={(name) =>
          name && form.set({ entity: name, actions: [], conditions: [], tags: [], related_resource: "" })
        }
      />
      {entity && <Actions entity={entity} form={form} />}
      {entity && entity.attributes.length > 0 && <Conditions entity={entity} {...form.field("conditions")} />}
      {entity?.tagged && <Tags entity={entity} form={form} />}
      <Switch
        label="Switched on"
        checked={form.values.enabled}
        onChange={(event) => form.set({ enabled: event.currentTarget.checked })}
      />
    </>
  );
}

function Actions({ entity, form }: { entity: EntityVocabulary; form: Form<Draft> }) {
  const { value, onChange, error } = form.field("actions");
  const all = value.length === entity.actions.length;
  return (
    <fieldset className={classes.set}>
      <legend>Actions</legend>
      {error && (
        <p role="alert" className={classes.error}>
          {error}
        </p>
      )}
      <div className={classes.actions}>
        <Checkbox
          label="All"
          checked={all}
          indeterminate={!all && value.length > 0}
          onChange={() => onChange(all ? [] : [...entity.actions])}
        />
        {entity.actions.map((action) => (
          <Checkbox
            key={action}
            label={capitalised(actionShown(action))}
            checked={value.includes(action)}
            onChange={(event) =>
              onChange(
                event.currentTarget.checked ? [...value, action] : value.filter((one) => one !== action),
              )
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

function Tags({ entity, form }: { entity: EntityVocabulary; form: Form<Draft> }) {
  return (
    <fieldset className={classes.set}>
      <legend>Tags</legend>
      <TagsInput
        aria-label="Tags"
        description="Empty or * for every one; untagged for those without a tag."
        placeholder="Type a tag and press Enter"
        {...form.field("tags")}
      />
      {entity.related.length > 0 && (
        <Select
          aria-label="Whose tags"
          data={[
            { value: "", label: "Its own tags" },
            ...entity.related.map((related) => ({
              value: related,
              label: `Those of its ${attributeShown(related)}`,
            })),
          ]}
          allowDeselect={false}
          {...form.field("related_resource")}
          onChange={(related) => form.set({ related_resource: related ?? "" })}
        />
      )}
      <SegmentedControl
        size="xs"
        aria-label="How tags count"
        data={[
          { value: "any", label: "Any of them" },
          { value: "all", label: "All of them" },
        ]}
        value={form.values.tag_logic}
        onChange={(logic) => form.set({ tag_logic: logic as Draft["tag_logic"] })}
      />
    </fieldset>
  );
}
