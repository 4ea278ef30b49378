// The fields of a response: `expand` adds the records that its ids name, and `fields` keeps only some fields.
import { type TSchema, Type } from "@sinclair/typebox";
import { didYouMean } from "../core/did_you_mean.ts";
import { assert, invalid } from "../core/faults.ts";
import { readId } from "../core/ids.ts";
import { choice, several } from "../core/schema.ts";
import type { Db } from "../storage/database.ts";
import { mayMerchant } from "./auth/merchant_permissions.ts";
import type { Call } from "./call.ts";
import { type Expandable, type Expansion, expandable } from "./expansion.ts";

/** The values of the parameters `fields` and `expand`. */
export interface ChosenFields {
  readonly fields?: readonly string[] | undefined;
  readonly expand?: readonly Expandable[] | undefined;
}

/** The parameters `fields` and `expand` of a route that shows records with this view. */
export function fieldParameters(view: TSchema) {
  const names = expandable.filter((name) => `${name}_id` in (view["properties"] ?? {}));
  const field = Type.String({
    pattern: "^[A-Za-z0-9_]+(\\.[A-Za-z0-9_]+)*$",
    maxLength: 100,
    form: "must be names of fields, such as id or items.sku",
    description:
      "Return only these fields of each record; the others are absent, even those that the schema requires." +
      " `items.sku` is the field `sku` of each row.",
  });
  const name = choice(names, { description: "Also the records that these ids name: `order` next to `order_id`." });
  return {
    fields: Type.Optional(several(field)),
    ...(names.length > 0 && { expand: Type.Optional(several(name)) }),
  };
}

/** Adds and removes fields of views as the request asks. */
type ShowFields = (views: readonly unknown[], db: Db) => Promise<readonly unknown[]>;

/**
 * Returns the function that applies `fields` and `expand` to views of this schema; null without either.
 * Refuses: validation_failed (unknown fields, and records that the caller may not read).
 */
export function shownFields(call: Call, view: TSchema, { fields, expand = [] }: ChosenFields): ShowFields | null {
  if (fields === undefined && expand.length === 0) return null;
  const expansions = [...new Set(expand)].map((name) => expansionFor(call, name));
  const whole = expandedView(view, expansions);
  for (const name of fields ?? []) checkName(name, whole);
  const kept = fields && treeOf(fields.map((name) => name.split(".")));
  return async (views, db) => {
    const all = await withExpansions(call, db, views as readonly object[], expansions);
    return kept === undefined ? all : all.map((one) => pick(one, kept));
  };
}

function expansionFor({ expansions, granted, merchant_id }: Call, name: Expandable): Expansion {
  const expansion = expansions.get(name);
  assert(expansion, `a list includes each kind of expandable record: ${name}`);
  const { needs } = expansion;
  const permitted = needs === "any" || (granted.permissions as ReadonlySet<string>).has(needs);
  const isOpen = merchant_id === null || mayMerchant({ id: "", need: needs }, { may_buy_labels: false });
  if (permitted && isOpen) return expansion;
  throw invalid("expand", `cannot contain ${name}, which requires the permission ${needs}`, "not_permitted");
}

const idField = (name: Expandable) => `${name}_id`;

/** The views with the records that their ids name, one query per kind. A record that the caller may not see is null. */
async function withExpansions(
  call: Call,
  db: Db,
  views: readonly object[],
  expansions: readonly Expansion[],
): Promise<readonly object[]> {
  if (expansions.length === 0) return views;
  const found = await Promise.all(
    expansions.map(async ({ name, read }) => {
      const ids = new Set(views.flatMap((view) => idIn(view, name, idField(name)) ?? []));
      const records = ids.size === 0 ? [] : await read(db, [...ids], call);
      // A label has its id in `label_id`, all others in `id`.
      return new Map(records.map((one) => [idIn(one, name, "id") ?? idIn(one, name, idField(name)), one]));
    }),
  );
  return views.map((view) => {
    const added = expansions.map(({ name }, at) => {
      const record = found[at]?.get(idIn(view, name, idField(name))) ?? null;
      // What the view shows of the record by itself stays, such as the name of an order's customer.
      const own = (view as Readonly<Record<string, unknown>>)[name];
      return [name, isObject(own) ? { ...own, ...record } : record];
    });
    return { ...view, ...Object.fromEntries(added) };
  });
}

function idIn(view: object, noun: Expandable, field: string): number | null {
  const id = (view as Readonly<Record<string, unknown>>)[field];
  return typeof id === "string" ? readId(noun, id) : null;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** A view with its expanded records, as `fieldsIn` reads it. */
function expandedView(view: TSchema, expansions: readonly Expansion[]): TSchema {
  if (expansions.length === 0) return view;
  const own = (view["properties"] ?? {}) as Readonly<Record<string, TSchema>>;
  const added = expansions.map(({ name, view: record }) => {
    const shown = own[name];
    return [name, shown === undefined ? record : Type.Union([shown, record])];
  });
  return Type.Object({ ...own, ...Object.fromEntries(added) });
}

/** The fields of an object, or of the objects in a list. Null for an object with the client's own names. */
function fieldsIn({
  anyOf,
  allOf,
  items,
  properties,
  type,
  additionalProperties,
}: TSchema): ReadonlyMap<string, TSchema> | null {
  const forms = ((anyOf ?? allOf) as readonly TSchema[] | undefined)?.map(fieldsIn);
  if (forms !== undefined) return forms.includes(null) ? null : new Map(forms.flatMap((form) => [...(form ?? [])]));
  if (items !== undefined) return fieldsIn(items);
  if (properties !== undefined && additionalProperties !== true)
    return new Map(Object.entries(properties as Readonly<Record<string, TSchema>>));
  return type === "object" || type === undefined ? null : new Map();
}

/** Refuses a name that leads to no field of a view. Refuses: validation_failed. */
function checkName(name: string, view: TSchema): void {
  let schema = view;
  let before = "";
  for (const step of name.split(".")) {
    const known = fieldsIn(schema);
    if (known === null) return;
    const inner = known.get(step);
    if (inner === undefined)
      throw unknownField(
        name,
        `${before}${step}`,
        [...known.keys()].map((one) => before + one),
      );
    schema = inner;
    before += `${step}.`;
  }
}

function unknownField(name: string, unknown: string, known: readonly string[]) {
  const choices = known.length === 0 ? "has no fields inside" : `must be some of: ${known.join(", ")}`;
  return invalid("fields", `${choices} (got "${name}")${didYouMean(unknown, known)}`, "unknown_field");
}

/** Names by their first step, each with what is kept inside it; null for all of it. */
type KeptFields = ReadonlyMap<string, KeptFields | null>;

function treeOf(names: readonly (readonly string[])[]): KeptFields {
  const groups = Map.groupBy(names, ([first = ""]) => first);
  return new Map(
    [...groups].map(([first, all]) => {
      const rest = all.map(([, ...inner]) => inner);
      return [first, rest.some((inner) => inner.length === 0) ? null : treeOf(rest)];
    }),
  );
}

/** The kept fields of an object, or of each object in a list. */
function pick(value: unknown, kept: KeptFields): unknown {
  if (Array.isArray(value)) return value.map((one) => pick(one, kept));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const inner = kept.get(name);
      if (inner === undefined) return [];
      return [[name, inner === null ? field : pick(field, inner)]];
    }),
  );
}
