/** The row above a list: search (focused by `/`), choices, and a way back to everything. Writes to the URL. */
import { Button, CloseButton, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useShortcuts } from "@/app/keyboard/shortcuts";
import classes from "./FilterBar.module.css";
import { KeyHint } from "./KeyHint";

export function FilterBar({ children, onClear }: { children: React.ReactNode; onClear?: () => void }) {
  return (
    <search className={classes.bar}>
      {children}
      {/* Keeps its place on a wide screen, so that filtering moves nothing. */}
      <Button
        variant="subtle"
        color="gray"
        className={classes.clear}
        data-idle={onClear === undefined || undefined}
        onClick={onClear}
      >
        Clear
      </Button>
    </search>
  );
}

type SearchProps = { value: string; onChange: (value: string) => void; placeholder: string };

export function SearchFilter({ value, onChange, placeholder }: SearchProps) {
  const [typed, setTyped] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const settle = useDebouncedCallback(onChange, 250);
  useEffect(() => setTyped(value), [value]);
  useShortcuts([{ keys: "/", says: "Search this list", group: "Lists", run: () => input.current?.focus() }]);
  function clear() {
    setTyped("");
    onChange("");
  }
  return (
    <TextInput
      ref={input}
      className={classes.search}
      size="xs"
      type="search"
      aria-label={placeholder}
      placeholder={placeholder}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        settle(event.currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        if (typed) clear();
        else input.current?.blur();
      }}
      leftSection={<IconSearch size={14} />}
      rightSection={
        typed ? <CloseButton size="xs" aria-label="Clear the search" onClick={clear} /> : <KeyHint keys="/" />
      }
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

type ChoiceProps = {
  label: string;
  value: string | undefined;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
  searchable?: boolean;
};

export function ChoiceFilter({ label, value, options, onChange, searchable }: ChoiceProps) {
  return (
    <Select
      className={classes.choice}
      size="xs"
      aria-label={label}
      placeholder={label}
      data={options as { value: string; label: string }[]}
      value={value ?? null}
      onChange={(next) => onChange(next ?? "")}
      clearable
      searchable={searchable}
      comboboxProps={{ width: "max-content", position: "bottom-start" }}
    />
  );
}

type DayProps = {
  label: string;
  value: string;
  onChange: (day: string) => void;
  earliest?: string;
  latest?: string;
};

/** A day of the calendar, as "2026-11-18"; half a date says nothing yet. */
export function DayFilter({ label, value, onChange, earliest, latest }: DayProps) {
  const [typed, setTyped] = useState(value);
  const settle = useDebouncedCallback(onChange, 400);
  useEffect(() => setTyped(value), [value]);
  return (
    <TextInput
      className={classes.day}
      data-empty={typed === "" || undefined}
      size="xs"
      type="date"
      aria-label={label}
      leftSection={<span className={classes.word}>{label}</span>}
      leftSectionWidth={label.length * 8 + 12}
      value={typed}
      min={earliest}
      max={latest}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        settle(event.currentTarget.value);
      }}
    />
  );
}
