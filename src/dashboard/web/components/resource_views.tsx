// The columns of lists and the facts on pages, from the fields of a resource.
import type { ComponentChildren } from "preact";
import type { ResourceField, ResourceFields } from "../../../core/resource.ts";
import { words } from "../text/common.ts";
import { countryName } from "../text/countries_and_units.ts";
import { count, money, nothing, weight } from "../text/format.ts";
import { Badge } from "./badge.tsx";
import { valueAt } from "./form_values.ts";
import { fieldAt, isShown } from "./resource_fields.ts";
import type { TableColumn } from "./table.tsx";
import type { DescriptionRow } from "./values.tsx";

/** A value as lists and pages show it. */
function shownValue(fields: ResourceFields, path: string, record: object): ComponentChildren {
  const field = fieldAt(fields, path);
  const value = valueAt(record, path);
  if (value === null || value === undefined || value === "") return null;
  switch (field.kind) {
    case "choice":
      return path === "status" ? <Badge state={String(value)} /> : field.words[String(value)];
    case "money":
      return money(value as number, String(valueAt(record, "currency")));
    case "weight":
      return weight(value as number, String(valueAt(record, field.unit)));
    case "integer":
    case "decimal":
      return [count(value as number), field.suffix].filter(Boolean).join(" ");
    case "flag":
      return value ? words.yes : words.no;
    case "country":
      return countryName(String(value));
    case "code":
      return <code>{String(value)}</code>;
    default:
      return String(value);
  }
}

const isNumber = ({ kind }: ResourceField) => ["integer", "decimal", "weight", "money"].includes(kind);

/** The columns of a list; `hidden` ones appear when the user chooses them. */
export function columnsOf<Row extends object>(
  fields: ResourceFields,
  { list, hidden = [] }: { readonly list: readonly string[]; readonly hidden?: readonly string[] },
): TableColumn<Row>[] {
  return [...list, ...hidden].map((path) => {
    const field = fieldAt(fields, path);
    return {
      id: path,
      title: field.label ?? path,
      cell: (row) => shownValue(fields, path, row) ?? nothing,
      ...(isNumber(field) && { align: "right" as const }),
      ...(field.kind === "text" && { wide: true as const }),
      ...(hidden.includes(path) && { extra: true as const }),
    };
  });
}

/** The facts of a record. Those of a group are left out if they are empty. `own` shows what no kind covers. */
export function factsOf<Row extends object>(
  fields: ResourceFields,
  paths: readonly string[],
  row: Row,
  own: Readonly<Record<string, (row: Row) => ComponentChildren>> = {},
): readonly DescriptionRow[] {
  return paths.map((path) => {
    const field = fieldAt(fields, path);
    const value = own[path] ? own[path](row) : shownValue(fields, path, row);
    const is_hidden = !isShown(field, row) || (path.includes(".") && value === null);
    return is_hidden ? null : [field.label ?? path, value];
  });
}
