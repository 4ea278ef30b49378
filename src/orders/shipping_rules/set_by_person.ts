// What a person or client sets of an order. Rules never change it.
import { isDeepStrictEqual } from "node:util";
import { invalidFields } from "../../core/faults.ts";
import { centsOf, default_currency } from "../../core/money.ts";
import type { RuleField } from "./evaluate_rules.ts";
import type { ShippingChoiceField } from "./shipping_choice.schema.ts";
import {
  choiceOrNull,
  type DecidedBy,
  openChoice,
  type RuledFields,
  type ShippingChoice,
  serviceOf,
} from "./shipping_choice.ts";
import { readCarton, serviceProblems } from "./shipping_rules.ts";

/** The part of an order that a request may set. */
interface ChosenInput {
  readonly warehouse_id?: string | number | null | undefined;
  readonly priority?: number | undefined;
  readonly packing_note?: string | null | undefined;
  readonly shipping_choice?: ShippingChoiceField | null | undefined;
}

/** The fields of an order that a person may confirm by sending them unchanged. */
type Chosen = Pick<RuledFields, "priority" | "packing_note" | "shipping_choice" | "decided_by">;

const none: Chosen = { priority: 0, packing_note: null, shipping_choice: null, decided_by: null };

/**
 * The choice of an order after a request, and what decided its fields. `before` is null for a new order. A person or
 * client decides each field that the request sets. A field that it repeats counts too, unless that is a default that
 * nothing has decided. With `shipping_choice: null`, nothing decides the choice any more.
 * Refuses: validation_failed.
 */
export function chosenIn(input: ChosenInput, before: Chosen | null): Pick<Chosen, "shipping_choice" | "decided_by"> {
  const { decided_by, ...old } = before ?? none;
  const { priority = old.priority, packing_note = old.packing_note } = input;
  const shipping_choice = choiceIn(input.shipping_choice, old.shipping_choice);
  const now = { priority, packing_note, shipping_choice };
  const decided: Partial<Record<RuleField, unknown>> = { ...decided_by };
  const counts = (field: RuleField) =>
    before === null || field in decided || !isDeepStrictEqual(valueIn(field, now), valueIn(field, old));
  for (const field of sentFields(input, before === null).filter(counts)) decided[field] = "person";
  if (input.shipping_choice === null) for (const field of choice_fields) delete decided[field];
  return { shipping_choice, decided_by: Object.keys(decided).length === 0 ? null : (decided as DecidedBy) };
}

const choice_fields = ["service", "carton", "insurance"] as const;

function valueIn(field: RuleField, { priority, packing_note, shipping_choice }: Omit<Chosen, "decided_by">): unknown {
  if (field === "priority") return priority;
  if (field === "packing_note") return packing_note;
  const { carton, insured, ...service } = shipping_choice ?? openChoice;
  return { service, carton, insurance: insured }[field as (typeof choice_fields)[number]];
}

function sentFields({ warehouse_id, priority, packing_note, shipping_choice }: ChosenInput, is_new: boolean) {
  const { carrier, choose, carton, insured } = shipping_choice ?? {};
  const sent: Partial<Record<RuleField, boolean>> = {
    warehouse_id: warehouse_id != null,
    priority: priority !== undefined,
    packing_note: is_new ? packing_note != null : packing_note !== undefined,
    service: carrier != null || choose != null,
    carton: carton !== undefined,
    insurance: insured !== undefined,
  };
  return (Object.keys(sent) as RuleField[]).filter((field) => sent[field]);
}

/** The choice with the parts that a request sets. Refuses: validation_failed. */
function choiceIn(input: ShippingChoiceField | null | undefined, before: ShippingChoice | null): ShippingChoice | null {
  if (input == null) return input === null ? null : before;
  const problems = serviceProblems(input, "shipping_choice.");
  if (problems.length > 0) throw invalidFields(problems);
  const old = before ?? openChoice;
  const service = input.carrier != null || input.choose != null ? readService(input) : serviceOf(old);
  const carton = input.carton === undefined ? old.carton : input.carton && readCarton(input.carton);
  const { insured = old.insured } = input;
  return choiceOrNull({ ...service, carton, insured });
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
