/** The state of a form: values, the server's word on each field, and whether there is something to lose. */
import { useRef, useState } from "react";
import { type ApiError, asApiError } from "@/app/api/errors";

export interface Form<V extends object> {
  values: V;
  set: (change: Partial<V>) => void;
  /** For text inputs. */
  text: (name: keyof V & string) => {
    name: string;
    value: string;
    error: React.ReactNode;
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
  };
  /** For what answers with a value: selects, tags, switches of our own. */
  field: <N extends keyof V & string>(
    name: N,
  ) => { name: N; value: V[N]; error: React.ReactNode; onChange: (value: V[N]) => void };
  /** What went wrong and belongs to no field of this form. */
  error: ApiError | undefined;
  errorAt: (field: string) => string | undefined;
  /** What the server refused, wherever it is shown. */
  wrong: ApiError | undefined;
  submitting: boolean;
  dirty: () => boolean;
  onSubmit: (event: React.FormEvent) => void;
}

export function useForm<V extends object>(initial: V, submit: (values: V) => Promise<unknown>): Form<V> {
  const [values, setValues] = useState(initial);
  const [error, setError] = useState<ApiError>();
  const [submitting, setSubmitting] = useState(false);
  const clean = useRef(initial);
  const current = useRef(initial);
  current.current = values;

  function set(change: Partial<V>) {
    setValues((before) => ({ ...before, ...change }));
    setError((before) => (before && rootOf(before.field) in change ? undefined : before));
  }
  function errorAt(field: string) {
    return error && rootOf(error.field) === field ? `${error.message} ${error.cure}`.trim() : undefined;
  }
  function onSubmit(event: React.FormEvent) {
    event.preventDefault();
    event.stopPropagation();
    if (submitting) return;
    setSubmitting(true);
    setError(undefined);
    const before = clean.current;
    clean.current = values;
    submit(values)
      .catch((problem: unknown) => {
        clean.current = before;
        setError(asApiError(problem));
      })
      .finally(() => setSubmitting(false));
  }
  return {
    values,
    set,
    text: (name) => ({
      name,
      value: String(values[name] ?? ""),
      error: errorAt(name),
      onChange: (event) => set({ [name]: event.currentTarget.value } as Partial<V>),
    }),
    field: (name) => ({
      name,
      value: values[name],
      error: errorAt(name),
      onChange: (value) => set({ [name]: value } as unknown as Partial<V>),
    }),
    error: error && !(rootOf(error.field) in values) ? error : undefined,
    errorAt,
    wrong: error,
    submitting,
    dirty: () => JSON.stringify(current.current) !== JSON.stringify(clean.current),
    onSubmit,
  };
}

/** `conditions[2].values` and `conditions.2` are errors of `conditions`. */
export function rootOf(field: string): string {
  return field.split(/[.[]/, 1)[0] ?? "";
}
