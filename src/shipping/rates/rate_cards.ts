import { isDeepStrictEqual } from "node:util";
import { type Actor, systemActor } from "../../core/actor.ts";
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Tx } from "../../storage/database.ts";
import { brokeRule } from "../../storage/storage_errors.ts";
import { builtInCarrier } from "./built_in_carrier.ts";
import { checkCard, defaultTerms, overlaps, readCard, readPriceRow } from "./check_rate_card.ts";
import { getHolidays, lockHolidays, saveHolidays } from "./holidays.sql.ts";
import type { CarrierHolidays, HolidaySet } from "./holidays.ts";
import type { CardContent, RateCard } from "./rate_card.ts";
import type { CreateRateCard, PriceRowField, UpdateRateCard } from "./rate_cards.schema.ts";
import { hasCards, insertCard, listActiveCards, lockCard, saveCard } from "./rate_cards.sql.ts";
import { sampleCards } from "./sample_rate_cards.ts";

/** Sets a carrier's holidays. Equal holidays change nothing. */
export async function setHolidays(tx: Tx, carrier: string, set: HolidaySet): Promise<CarrierHolidays> {
  const before = await lockHolidays(tx, carrier);
  const same = before.revision > 0 && isDeepStrictEqual({ rules: before.rules, days: before.days }, set);
  if (same) return before;
  await saveHolidays(tx, before, set);
  return getHolidays(tx, carrier);
}

/** Creates the sample rate cards in a store without any card. It runs at every start. */
export async function ensureRateCards(tx: Tx): Promise<void> {
  if (await hasCards(tx)) return;
  try {
    await tx.nested(async (part) => {
      for (const card of sampleCards(builtInCarrier(part.mode).code))
        await insertCard(part, card, systemActor("start"));
    });
  } catch (error) {
    // Another server created them concurrently.
    if (!brokeRule(error, overlap_rule)) throw error;
  }
}

// The constraint against overlapping cards of a service.
const overlap_rule = "rate_cards_apart";

/** Creates a rate card. Refuses: validation_failed, rate_card_overlap. */
export async function createRateCard(tx: Tx, input: CreateRateCard, actor: Actor): Promise<RateCard> {
  const { service, name } = input;
  const dates = { effective_from: null, effective_to: null };
  const terms = defaultTerms(builtInCarrier(tx.mode).code);
  const content = readCard(input, { service, name, active: true, sample: false, ...dates, terms });
  return withoutOverlap(tx, content, null, (part) => insertCard(part, content, actor));
}

/**
 * Changes a card. Without a change it keeps its revision. A sample card whose name or terms change is no longer a
 * sample.
 * Refuses: resource_missing, validation_failed, immutable_field, rate_card_overlap.
 */
export async function updateRateCard(tx: Tx, id: string, input: UpdateRateCard, actor: Actor): Promise<RateCard> {
  const before = await lockCard(tx, id);
  if (input.service !== undefined && input.service !== before.service) {
    throw new Fault("immutable_field", "A card's service cannot change. Create another card.", {
      fields: [{ field: "service", code: "immutable_field", message: "cannot change" }],
    });
  }
  return change(tx, before, readCard(input, contentOf(before)), actor);
}

/** Replaces a card's prices. Refuses: resource_missing, validation_failed. */
export async function replacePrices(
  tx: Tx,
  id: string,
  rows: readonly PriceRowField[],
  actor: Actor,
): Promise<RateCard> {
  const before = await lockCard(tx, id);
  const prices = rows.map((row, at) => readPriceRow(row, before.terms.currency, `prices[${at}].`));
  const content = { ...contentOf(before), terms: { ...before.terms, prices } };
  checkCard(content);
  return change(tx, before, content, actor);
}

async function change(tx: Tx, before: RateCard, content: CardContent, actor: Actor): Promise<RateCard> {
  if (isDeepStrictEqual(content, contentOf(before))) return before;
  const isOwn = content.name !== before.name || !isDeepStrictEqual(content.terms, before.terms);
  const after = { ...content, sample: before.sample && !isOwn };
  return withoutOverlap(tx, after, before.id, (part) => saveCard(part, before, after, actor));
}

function contentOf({ service, name, active, sample, effective_from, effective_to, terms }: RateCard): CardContent {
  return { service, name, active, sample, effective_from, effective_to, terms };
}

/** Runs `work` to save a card unless another active card of its service overlaps. Refuses: rate_card_overlap. */
async function withoutOverlap<T>(
  tx: Tx,
  content: CardContent,
  id: number | null,
  work: (part: Tx) => Promise<T>,
): Promise<T> {
  const others = content.active ? await listActiveCards(tx, content.service) : [];
  const other = others.find((card) => card.id !== id && overlaps(card, content));
  if (other !== undefined) throw overlap(content, other);
  try {
    return await tx.nested(work);
  } catch (error) {
    throw brokeRule(error, overlap_rule) ? overlap(content, null) : error;
  }
}

function overlap({ service }: CardContent, other: RateCard | null): Fault {
  const name = other === null ? "Another card" : wireId("rate_card", other.id);
  const message = `${name} for ${service} is in effect at the same time. Set its effective_to, or deactivate it.`;
  return new Fault("rate_card_overlap", message, other === null ? {} : { rate_card_id: wireId("rate_card", other.id) });
}
