// The fields of forms, each from a plain description.

import type { ComponentChildren, ComponentProps } from "preact";
import { useId } from "preact/hooks";
import { words } from "../text/common.ts";
import { countryNames, weightUnitWords } from "../text/countries_and_units.ts";

/** The values of a form, by field name. */
export type FormValues = Readonly<Record<string, unknown>>;

/** What all kinds of fields have. */
export interface CommonField {
  /** The name of the field in the request body, by which API errors are matched to it. */
  readonly name: string;
  readonly label: string;
  readonly help?: string;
  readonly required?: boolean;
  /** The share of the line's width, if there is room. */
  readonly width?: "half" | "third";
  /** Whether the field is shown, depending on the other values. */
  readonly when?: (values: FormValues) => boolean;
  /** A field that cannot change is not sent either. */
  readonly disabled?: boolean;
  /** The value of a new record. */
  readonly first?: unknown;
  /** What is sent for an empty field: null without this property, and nothing if it is undefined. */
  readonly blank?: unknown;
  /** Converts the value of the record to that of the form. */
  entered?(value: unknown): unknown;
  /** Converts the value of the form to that of the request. `before` is the record. */
  sent?(entered: unknown, before: unknown): unknown;
}

/** The props of a custom field, such as the lines of an order. */
export interface Editing {
  readonly value: unknown;
  readonly set: (value: unknown) => void;
  /** The API error of the field, or of a part of it, such as `problem("[0].quantity")`. */
  readonly problem: (below?: string) => string | undefined;
  readonly id: string;
  readonly values: FormValues;
}

/** An option of a select field. */
export interface Option {
  readonly value: string;
  readonly title: string;
}

/** A plain description of a field. */
export type FormField = CommonField &
  (
    | {
        readonly kind: "text";
        readonly type?: "text" | "email" | "password" | "tel" | "url";
        readonly autocomplete?: string;
        readonly lines?: number;
        readonly placeholder?: string;
        readonly mono?: boolean;
        readonly focus?: boolean;
      }
    | {
        readonly kind: "number";
        readonly unit?: string;
        readonly focus?: boolean;
      }
    | { readonly kind: "money"; readonly currency?: string }
    /** Holds two values: the number under `name` and its unit under `unit_name`. */
    | { readonly kind: "weight"; readonly unit_name: string }
    | { readonly kind: "date"; readonly min?: string; readonly max?: string }
    | { readonly kind: "select"; readonly options: readonly Option[]; readonly empty?: string }
    | { readonly kind: "multi-select"; readonly options: readonly Option[] }
    | { readonly kind: "switch" }
    | { readonly kind: "address"; readonly with_name?: boolean }
    | { readonly kind: "custom"; readonly render: (editing: Editing) => ComponentChildren }
    | { readonly kind: "heading" }
  );

interface SelectProps extends Omit<ComponentProps<"select">, "children" | "multiple" | "onChange" | "role" | "size"> {
  readonly options: readonly Option[];
  /** The text of the option for no value. */
  readonly empty?: string | undefined;
  readonly onChoose: (value: string) => void;
}

/** A select field. */
export function Select({ options, empty, onChoose, ...attributes }: SelectProps) {
  return (
    <select {...attributes} onChange={(event) => onChoose(event.currentTarget.value)}>
      {empty !== undefined && <option value="">{empty}</option>}
      {options.map(({ value, title }) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  );
}

/** What is wrong with a field, if anything. */
export function FieldError({ id, text }: { readonly id?: string; readonly text: string | undefined }) {
  if (!text) return null;
  return (
    <p id={id} class="field-wrong" role="alert">
      {text}
    </p>
  );
}

interface FieldRowProps {
  readonly field: FormField;
  readonly values: FormValues;
  readonly set: (name: string, value: unknown) => void;
  /** The API error for a path of the body. */
  readonly problem: (path: string, whole?: boolean) => string | undefined;
}

const text = (value: unknown) => (value === null || value === undefined ? "" : String(value));

/** A field with its label, input, help and error. */
export function FieldRow({ field, values, set, problem }: FieldRowProps) {
  const id = useId();
  if (field.when && !field.when(values)) return null;
  if (field.kind === "heading") {
    return (
      <div class="field-heading">
        <h2>{field.label}</h2>
        {field.help && <p>{field.help}</p>}
      </div>
    );
  }
  const wrong = field.kind === "address" || field.kind === "custom" ? undefined : problem(field.name, true);
  const width = field.width ? ` ${field.width}` : "";
  const described = [field.help ? `${id}-help` : "", wrong ? `${id}-wrong` : ""].filter(Boolean).join(" ");
  const grouped = field.kind === "address" || field.kind === "multi-select" || field.kind === "custom";
  const inside = (
    <Input id={id} field={field} values={values} set={set} problem={problem} described={described} wrong={wrong} />
  );
  const notes = (
    <>
      {field.help && (
        <p id={`${id}-help`} class="field-help">
          {field.help}
        </p>
      )}
      <FieldError id={`${id}-wrong`} text={wrong} />
    </>
  );
  if (grouped) {
    return (
      <fieldset class={`field group${width}`} data-field={field.name}>
        {field.label !== "" && <legend>{field.label}</legend>}
        {inside}
        {notes}
      </fieldset>
    );
  }
  const label = (
    <label for={id}>
      {field.label}
      {!field.required && field.kind !== "switch" && <small>{words.optional}</small>}
    </label>
  );
  return (
    <div class={`field ${field.kind}${width}`} data-field={field.name}>
      {field.kind === "switch" ? null : label}
      {inside}
      {field.kind === "switch" ? label : null}
      {notes}
    </div>
  );
}

interface FieldInputProps extends FieldRowProps {
  readonly id: string;
  readonly described: string;
  readonly wrong: string | undefined;
}

function Input(props: FieldInputProps) {
  const { id, field, values, set, problem } = props;
  const value = values[field.name];
  if (field.kind === "multi-select")
    return <Choices chosen={Array.isArray(value) ? value : []} field={field} set={set} />;
  if (field.kind === "address")
    return <Address field={field} value={(value ?? {}) as FormValues} set={set} problem={problem} />;
  if (field.kind === "custom") {
    const below = (path = "") =>
      problem(path === "" || path.startsWith("[") ? field.name + path : `${field.name}.${path}`);
    return <>{field.render({ id, value, values, set: (next) => set(field.name, next), problem: below })}</>;
  }
  return <OneInput {...props} />;
}

function OneInput({ id, field, values, set, described, wrong }: FieldInputProps) {
  const value = values[field.name];
  const common = {
    id,
    name: field.name,
    disabled: field.disabled,
    "aria-describedby": described || undefined,
    "aria-invalid": wrong ? (true as const) : undefined,
    "aria-required": field.required || undefined,
  };
  const entered = (event: { currentTarget: { value: string } }) => set(field.name, event.currentTarget.value);
  const plain = { ...common, value: text(value), onInput: entered, autocomplete: "off" };
  switch (field.kind) {
    case "text": {
      const { lines, type = "text", autocomplete = "off", placeholder, mono, focus } = field;
      const more = { ...plain, placeholder, class: mono ? "mono" : undefined, autocomplete };
      if (lines !== undefined) return <textarea {...more} rows={lines} />;
      return <input {...more} type={type as "text"} autoFocus={focus} />;
    }
    case "number":
    case "money": {
      const unit = field.kind === "number" ? field.unit : (field.currency ?? text(values["currency"] ?? "USD"));
      return (
        <span class={unit ? "with-unit" : ""}>
          <input {...plain} type="text" inputMode="decimal" />
          {unit && <span class="unit">{unit}</span>}
        </span>
      );
    }
    case "weight":
      return <Weight field={field} unit={text(values[field.unit_name])} set={set} input={plain} />;
    case "date":
      return <input {...plain} type="date" min={field.min} max={field.max} />;
    case "select":
      return (
        <Select
          {...common}
          value={text(value)}
          options={field.options}
          empty={field.empty}
          onChoose={(chosen) => set(field.name, chosen)}
        />
      );
    case "switch": {
      const turned = (event: { currentTarget: { checked: boolean } }) => set(field.name, event.currentTarget.checked);
      const state = { checked: value === true, "aria-checked": value === true };
      return <input {...common} type="checkbox" role="switch" {...state} onChange={turned} />;
    }
    default:
      return null;
  }
}

const weightUnits = Object.entries(weightUnitWords).map(([value, title]) => ({ value, title }));

interface WeightProps {
  readonly field: Extract<FormField, { kind: "weight" }>;
  readonly unit: string;
  readonly set: FieldRowProps["set"];
  readonly input: object;
}

function Weight({ field, unit, set, input }: WeightProps) {
  return (
    <span class="with-unit">
      <input {...input} type="text" inputMode="decimal" />
      <Select
        aria-label={`${field.label}: ${words.unit}`}
        value={unit}
        options={weightUnits}
        onChoose={(chosen) => set(field.unit_name, chosen)}
      />
    </span>
  );
}

interface ChoicesProps {
  readonly field: Extract<FormField, { kind: "multi-select" }>;
  readonly chosen: readonly string[];
  readonly set: FieldRowProps["set"];
}

function Choices({ field, chosen, set }: ChoicesProps) {
  return (
    <div class="choices">
      {field.options.map(({ value, title }) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            disabled={field.disabled}
            onChange={(event) => {
              const others = chosen.filter((one) => one !== value);
              set(field.name, event.currentTarget.checked ? [...others, value] : others);
            }}
          />
          {title}
        </label>
      ))}
    </div>
  );
}

interface AddressProps {
  readonly field: Extract<FormField, { kind: "address" }>;
  readonly value: FormValues;
  readonly set: FieldRowProps["set"];
  readonly problem: FieldRowProps["problem"];
}

const addressLines = [
  { name: "name", width: "half", autocomplete: "name" },
  { name: "company", width: "half", autocomplete: "organization", optional: true },
  { name: "address_line1", autocomplete: "address-line1" },
  { name: "address_line2", autocomplete: "address-line2", optional: true },
  { name: "city", width: "half", autocomplete: "address-level2" },
  { name: "state", width: "half", autocomplete: "address-level1", optional: true },
  { name: "postal_code", width: "half", autocomplete: "postal-code" },
  { name: "country", width: "half", autocomplete: "country" },
  { name: "phone", width: "half", autocomplete: "tel", optional: true },
] as const;

function Address({ field, value, set, problem }: AddressProps) {
  const id = useId();
  const enter = (name: string, entered: string) => set(field.name, { ...value, [name]: entered });
  const lines = addressLines.filter(
    ({ name }) => field.with_name !== false || !["name", "company", "phone"].includes(name),
  );
  return (
    <div class="fields">
      {lines.map((line) => {
        const path = `${field.name}.${line.name}`;
        const wrong = problem(path);
        const one = {
          id: `${id}-${line.name}`,
          name: path,
          value: text(value[line.name]),
          autocomplete: line.autocomplete,
          "aria-invalid": wrong ? (true as const) : undefined,
          "aria-describedby": wrong ? `${id}-${line.name}-wrong` : undefined,
        };
        const set = (entered: string) => enter(line.name, entered);
        return (
          <div key={line.name} class={`field text${"width" in line ? ` ${line.width}` : ""}`} data-field={path}>
            <label for={one.id}>
              {words.addressLines[line.name]}
              {"optional" in line && <small>{words.optional}</small>}
            </label>
            {line.name === "country" ? (
              <Select {...one} options={countryNames()} empty="" onChoose={set} />
            ) : (
              <input type="text" {...one} onInput={(event) => set(event.currentTarget.value)} />
            )}
            <FieldError id={`${id}-${line.name}-wrong`} text={wrong} />
          </div>
        );
      })}
    </div>
  );
}
