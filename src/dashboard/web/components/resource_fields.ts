// The inputs of a record's form, from the fields of its resource.
import type { FieldSection, ResourceField, ResourceFields } from "../../../core/resource.ts";
import { countryNames } from "../text/countries_and_units.ts";
import type { CommonField, FormField } from "./fields.tsx";
import { optionsOf, valueAt } from "./form_values.ts";

/** The field at a path: `customs.hs_code` is the field `hs_code` of the group `customs`. */
export function fieldAt(fields: ResourceFields, path: string): ResourceField {
  const [name = "", inner] = path.split(".");
  const field = fields[name];
  const found = field?.kind === "group" && inner !== undefined ? field.fields[inner] : field;
  if (found === undefined) throw new Error(`There is no field ${path}.`);
  return found;
}

/** Whether a field is shown with these values of the others. */
export const isShown = ({ when = {} }: ResourceField, values: object) =>
  Object.entries(when).every(([name, value]) => valueAt(values, name) === value);

const halves: readonly string[] = ["choice", "country", "integer", "weight", "money", "code", "email"];

function commonOf(path: string, field: ResourceField, is_new: boolean): CommonField {
  const { kind, label = "", help, when, fixed = false, default: blank } = field;
  const width = field.width ?? (halves.includes(kind) ? "half" : kind === "decimal" ? "third" : undefined);
  const first = field.first ?? (typeof blank === "string" || typeof blank === "boolean" ? blank : undefined);
  return {
    name: path,
    label,
    required: kind === "choice" || (blank === undefined && !path.includes(".")),
    disabled: fixed && !is_new,
    first,
    blank,
    ...(width && { width }),
    ...(help && { help }),
    ...(when && { when: (values) => isShown(field, values) }),
  };
}

/** The input of a field. */
function inputOf(common: CommonField, field: ResourceField): FormField {
  switch (field.kind) {
    case "choice":
      return { ...common, kind: "select", options: optionsOf(field.words) };
    case "country":
      return { ...common, kind: "select", options: countryNames(), empty: "" };
    case "integer":
    case "decimal":
      return { ...common, kind: "number", ...(field.suffix && { unit: field.suffix }) };
    case "weight":
      return { ...common, kind: "weight", unit_name: field.unit };
    case "money":
      return { ...common, kind: "money" };
    case "flag":
      return { ...common, kind: "switch" };
    case "notes":
      return { ...common, kind: "text", lines: 2 };
    case "code":
      return { ...common, kind: "text", mono: true };
    case "email":
      return { ...common, kind: "text", type: "email" };
    default:
      return { ...common, kind: "text", ...(field.kind === "text" && field.type && { type: field.type }) };
  }
}

/** The inputs of a record's form. `own` makes those that no kind covers. */
export function formFields(
  fields: ResourceFields,
  sections: readonly FieldSection[],
  is_new: boolean,
  own: Readonly<Record<string, (common: CommonField) => FormField>> = {},
): readonly FormField[] {
  const [begin] = sections.flatMap((section) => section.fields);
  return sections.flatMap(({ title, help, fields: paths }) => [
    ...(title === undefined ? [] : [{ kind: "heading" as const, name: title, label: title, ...(help && { help }) }]),
    ...paths.map((path) => {
      const field = fieldAt(fields, path);
      const common = commonOf(path, field, is_new);
      const input = own[path]?.(common) ?? inputOf(common, field);
      return is_new && path === begin ? ({ ...input, focus: true } as FormField) : input;
    }),
  ]);
}
