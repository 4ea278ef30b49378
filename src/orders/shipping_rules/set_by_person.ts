// What a person or client sets of an order. Rules never change it.
import { isDeepStrictEqual } from "node:util";
import { invalidFields } from "../../core/faults.ts";
import { centsOf, default_currency } from "../../core/money.ts";
import type { RuleField } from "./evaluate_rules.ts";
import type { ShippingChoiceField } from "./shipping_choice.schema.ts";
import { choiceOrNull, type DecidedBy, openChoice, type RuledFields, serviceOf } from "./shipping_choice.ts";
import { readCarton, serviceProblems } from "./shipping_rules.ts";

/** The part of an order that a request may set. */
interface ChosenInput {
  readonly warehouse_id?: string | number | null | undefined;
  readonly priority?: number | undefined;
  readonly packing_note?: string | null | undefined;
  readonly shipping_choice?: ShippingChoiceField | null | undefined;
}

type Chosen = Pick<RuledFields, "shipping_choice" | "decided_by">;

/** The choice of a new order, and the fields that its request sets. Refuses: validation_failed. */
export function chosenIn(input: ChosenInput, none: Chosen): Chosen {
  const { shipping_choice, decided_by } = withChoice(input.shipping_choice, none, true);
  const set: RuleField[] = [
    ...(input.warehouse_id == null ? [] : (["warehouse_id"] as const)),
    ...(input.priority === undefined ? [] : (["priority"] as const)),
    ...(input.packing_note == null ? [] : (["packing_note"] as const)),
  ];
  return { shipping_choice, decided_by: markedBy(set, decided_by) };
}

/** The changed choice of an order; null if a request leaves it as it is. Refuses: validation_failed. */
export function changedChoice({ shipping_choice: input }: ChosenInput, before: Chosen): Chosen | null {
  const after = withChoice(input, before);
  const { shipping_choice, decided_by } = before;
  return isDeepStrictEqual(after, { shipping_choice, decided_by }) ? null : after;
}

/** What decided an order's fields after a person changed some of them. */
export function decidedByPerson(changed: object | null, decided_by: DecidedBy | null): DecidedBy | null {
  const set = (["priority", "packing_note"] as const).filter((field) => changed !== null && field in changed);
  return markedBy(set, decided_by);
}

function markedBy(set: readonly RuleField[], decided_by: DecidedBy | null): DecidedBy | null {
  if (set.length === 0) return decided_by;
  return { ...decided_by, ...Object.fromEntries(set.map((field) => [field, "person" as const])) };
}

/**
 * The choice with the parts that a request sets. A part of an existing order keeps what decided it unless it changes.
 */
function withChoice(input: ShippingChoiceField | null | undefined, before: Chosen, is_new = false): Chosen {
  const { shipping_choice, decided_by } = before;
  if (input === undefined) return { shipping_choice, decided_by };
  if (input === null) {
    const { service: _service, carton: _carton, insurance: _insurance, ...rest } = decided_by ?? {};
    return { shipping_choice: null, decided_by: Object.keys(rest).length === 0 ? null : rest };
  }
  const problems = serviceProblems(input, "shipping_choice.");
  if (problems.length > 0) throw invalidFields(problems);
  const old = shipping_choice ?? openChoice;
  const names_service = input.carrier != null || input.choose != null;
  const service = names_service ? readService(input) : serviceOf(old);
  const carton = input.carton === undefined ? old.carton : input.carton && readCarton(input.carton);
  const { insured = old.insured } = input;
  const isSet = (sent: unknown, value: unknown, present: unknown) =>
    is_new ? sent !== undefined : !isDeepStrictEqual(value, present);
  const set: RuleField[] = [
    ...(isSet(names_service || undefined, service, serviceOf(old)) ? (["service"] as const) : []),
    ...(isSet(input.carton, carton, old.carton) ? (["carton"] as const) : []),
    ...(isSet(input.insured, insured, old.insured) ? (["insurance"] as const) : []),
  ];
  return {
    shipping_choice: set.length === 0 ? shipping_choice : choiceOrNull({ ...service, carton, insured }),
    decided_by: markedBy(set, decided_by),
  };
}

function readService({
  carrier,
  service,
  choose,
  days_max,
  price_max,
  currency = default_currency,
}: ShippingChoiceField) {
  return {
    carrier: carrier ?? null,
    service: service ?? null,
    choose: choose ?? null,
    days_max: days_max ?? null,
    price_max_cents: price_max == null ? null : centsOf(price_max, currency, "shipping_choice.price_max"),
    currency: price_max == null ? default_currency : currency,
  };
}
