// Lines of a form, each with a few fields, such as the lines of a receipt or transfer.
import { ApiProblem } from "../api/problem.ts";
import { words } from "../text/common.ts";
import { Button } from "./button.tsx";
import { type Editing, FieldError, type FormField, type Option, Select } from "./fields.tsx";
import { ProductPicker } from "./pickers.tsx";

/** A field of each line. */
export interface LineField {
  readonly name: string;
  readonly title: string;
  readonly kind: "text" | "number" | "date" | "select" | "product";
  readonly mono?: boolean;
  readonly required?: boolean;
  readonly options?: readonly Option[];
  readonly wide?: boolean;
}

/** The entries of one line. */
type LineValues = Readonly<Record<string, string>>;

/** A form field with lines. API errors appear below their line and field. */
export function lineFields(name: string, label: string, fields: readonly LineField[]): FormField {
  const render = (editing: Editing) => <Lines editing={editing} fields={fields} />;
  return { kind: "custom", name, label, required: true, render };
}

function Lines({ editing, fields }: { readonly editing: Editing; readonly fields: readonly LineField[] }) {
  const blank = Object.fromEntries(fields.map((field) => [field.name, ""]));
  const lines = (editing.value as readonly LineValues[] | undefined) ?? [blank];
  const set = (at: number, name: string, value: string) =>
    editing.set(lines.map((line, own) => (own === at ? { ...line, [name]: value } : line)));
  const whole = editing.problem();
  return (
    <>
      <div class="lines">
        {lines.map((line, at) => (
          <div key={at} class="line" role="group" aria-label={`${at + 1}`}>
            {fields.map((field) => (
              <LineInput
                key={field.name}
                id={`${editing.id}-${at}-${field.name}`}
                field={field}
                value={line[field.name] ?? ""}
                problem={editing.problem(`[${at}].${field.name}`)}
                onSet={(value) => set(at, field.name, value)}
              />
            ))}
            <Button
              kind="plain"
              icon="delete"
              iconOnly
              title={words.removeLine}
              disabled={lines.length === 1}
              onClick={() => editing.set(lines.filter((_, own) => own !== at))}
            />
          </div>
        ))}
      </div>
      <FieldError text={whole} />
      <Button icon="plus" title={words.addLine} onClick={() => editing.set([...lines, blank])} />
    </>
  );
}

interface LineInputProps {
  readonly id: string;
  readonly field: LineField;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onSet: (value: string) => void;
}

function LineInput({ id, field, value, problem, onSet }: LineInputProps) {
  const { title, kind, mono, required, options = [], wide } = field;
  const common = {
    id,
    value,
    "aria-invalid": problem ? (true as const) : undefined,
    "aria-describedby": problem ? `${id}-wrong` : undefined,
    "aria-required": required || undefined,
  };
  const typed = (event: { currentTarget: { value: string } }) => onSet(event.currentTarget.value);
  return (
    <div class={wide ? "line-field wide" : `line-field ${kind}`}>
      <label for={id}>
        {title}
        {!required && <small class="unseen">{words.optional}</small>}
      </label>
      {kind === "product" ? (
        <ProductPicker
          id={id}
          label={title}
          shown={value}
          invalid={problem !== undefined}
          onPick={(product) => onSet(product?.sku ?? "")}
        />
      ) : kind === "select" ? (
        <Select {...common} options={options} onChoose={onSet} />
      ) : (
        <input
          {...common}
          class={mono ? "mono" : undefined}
          type={(kind === "date" ? "date" : "text") as "text"}
          inputMode={kind === "number" ? "numeric" : undefined}
          autocomplete="off"
          onInput={typed}
        />
      )}
      <FieldError id={`${id}-wrong`} text={problem} />
    </div>
  );
}

/** The entries of a line for the API: without empty fields, numbers as numbers. */
export type EnteredLineValues = Readonly<Record<string, string | number>>;

function filled(line: LineValues): EnteredLineValues {
  const entries = Object.entries(line).flatMap(([name, text]) => {
    const trimmed = text.trim();
    if (trimmed === "") return [];
    return [[name, name === "quantity" && /^-?\d+$/.test(trimmed) ? Number(trimmed) : trimmed] as const];
  });
  return Object.fromEntries(entries);
}

/** The lines that satisfy `counts`. By default those with any entry. */
export function filledLines(
  value: unknown,
  counts = (line: EnteredLineValues) => Object.keys(line).length > 0,
): readonly EnteredLineValues[] {
  return (value as readonly LineValues[]).map(filled).filter(counts);
}

/** Sends some lines of a form and maps line numbers in API errors back to the form's. */
export async function sendLines<Done>(
  name: string,
  value: unknown,
  send: (lines: readonly EnteredLineValues[]) => Promise<Done>,
  counts = (line: EnteredLineValues) => Object.keys(line).length > 0,
): Promise<Done> {
  const all = (value as readonly LineValues[]).map(filled);
  const sent = all.flatMap((line, at) => (counts(line) ? at : []));
  try {
    return await send(all.filter(counts));
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    const { status, code, message, facts, request_id } = error;
    const details = error.fields.map(({ field, message }) => ({
      field: field.replace(/^(\w+)\[(\d+)\]/, (whole, of: string, at: string) =>
        of === name ? `${of}[${sent[Number(at)] ?? at}]` : whole,
      ),
      message,
    }));
    throw new ApiProblem(status, { error: { ...facts, code, message, details }, meta: { request_id } });
  }
}
