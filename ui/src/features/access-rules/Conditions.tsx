/** Narrows a rule: each line names an attribute and the values that satisfy it; all lines must hold. */
import { ActionIcon, Button, Select, TagsInput, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import type { EntityVocabulary } from "@/gen/api";
import { attributeShown, type Condition, capitalised, LABEL } from "./draft";
import classes from "./RuleFields.module.css";

type Props = {
  entity: EntityVocabulary;
  value: Condition[];
  onChange: (conditions: Condition[]) => void;
  error?: React.ReactNode;
};

export function Conditions({ entity, value, onChange, error }: Props) {
  const replace = (index: number, change: Partial<Condition>) =>
    onChange(value.map((condition, at) => (at === index ? { ...condition, ...change } : condition)));
  const add = () => onChange([...value, { attribute: entity.attributes[0] ?? "", values: [], key: "" }]);
  return (
    <fieldset className={classes.set}>
      <legend>Only those where</legend>
      {value.map((condition, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place; they are not reordered.
        <div key={index} className={classes.condition}>
          <Select
            aria-label="Attribute"
            data={entity.attributes.map((attribute) => ({
              value: attribute,
              label: capitalised(attributeShown(attribute)),
            }))}
            allowDeselect={false}
            value={condition.attribute}
            onChange={(attribute) => attribute && replace(index, { attribute, key: "" })}
          />
          <div className={classes.values}>
            {condition.attribute === LABEL && (
              <TextInput
                aria-label="Label key"
                placeholder="Label key"
                autoComplete="off"
                spellCheck={false}
                value={condition.key}
                onChange={(event) => replace(index, { key: event.currentTarget.value })}
              />
            )}
            <TagsInput
              aria-label="Values"
              placeholder={condition.values.length === 0 ? "Values; * matches any text" : undefined}
              value={condition.values}
              onChange={(values) => replace(index, { values })}
              acceptValueOnBlur
            />
          </div>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={34}
            aria-label="Remove this condition"
            onClick={() => onChange(value.filter((_, at) => at !== index))}
          >
            <IconX size={16} />
          </ActionIcon>
        </div>
      ))}
      {error && (
        <p role="alert" className={classes.error}>
          {error}
        </p>
      )}
      <div>
        <Button variant="default" onClick={add}>
          Add condition
        </Button>
      </div>
    </fieldset>
  );
}
