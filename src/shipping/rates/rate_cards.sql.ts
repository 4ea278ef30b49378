import { Type } from "@sinclair/typebox";
import { and, asc, desc, eq, gt, isNull, lt, lte, or, sql } from "drizzle-orm";
import { forUpdate } from "../../../db/kit.ts";
import { holiday_sets, rate_card_versions, rate_cards, zone_systems } from "../../../db/schema/rates.ts";
import type { Actor } from "../../core/actor.ts";
import { assert, missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import type { Db, ReadStatements, Tx } from "../../storage/database.ts";
import { equals, exactly, recordList } from "../../storage/record_list.ts";
import { bareOf } from "../../storage/scope.ts";
import { insert, insertIds, prepared, type StatementArgs } from "../../storage/statements.ts";
import type { ReadySystem } from "../zones/zone_system.ts";
import { readSystem } from "../zones/zones.sql.ts";
import { builtInCarrier } from "./built_in_carrier.ts";
import { getHolidays } from "./holidays.sql.ts";
import { isHolidayOf } from "./holidays.ts";
import { type ReadyTerms, readyTerms } from "./price_parcel.ts";
import type { CardContent, RateCard } from "./rate_card.ts";
import { contentOf, type StoredContent, storedContent } from "./rate_card.ts";
import { ServiceField } from "./rate_cards.schema.ts";
import type { ReadyCard } from "./rate_offers.ts";
import { simulatedTariffs, type Tariff } from "./simulated_tariffs.ts";

const inEffect = prepared((select, a: StatementArgs<{ now: number }>) =>
  select
    .select({
      id: rate_cards.id,
      revision: rate_cards.revision,
      created_at: rate_cards.created_at,
      updated_at: rate_cards.updated_at,
      zone_system: rate_cards.zone_system,
      zones_revision: zone_systems.revision,
      holidays: rate_cards.holidays,
      holidays_revision: holiday_sets.revision,
    })
    .from(rate_cards)
    .leftJoin(zone_systems, eq(zone_systems.name, rate_cards.zone_system))
    .leftJoin(holiday_sets, eq(holiday_sets.carrier, rate_cards.holidays))
    .where(
      and(
        rate_cards.active,
        or(isNull(rate_cards.effective_from), lte(rate_cards.effective_from, a.now)),
        sql`(${rate_cards.effective_to} is null or ${rate_cards.effective_to} > ${a.now})`,
      ),
    )
    .orderBy(asc(rate_cards.id)),
);

const versionOf = prepared((select, a: StatementArgs<{ card_id: number; revision: number }>) =>
  select
    .select({ content: rate_card_versions.content })
    .from(rate_card_versions)
    .where(and(eq(rate_card_versions.card_id, a.card_id), eq(rate_card_versions.revision, a.revision))),
);

/** The cards, zone systems and holidays that one connection has read and prepared, by revision. */
class ReadyCardCache {
  readonly cards = new VersionCache<{ readonly card: RateCard; readonly terms: ReadyTerms }>();
  readonly systems = new VersionCache<ReadySystem>();
  readonly holidays = new VersionCache<(day: number) => boolean>();
}

/** Caches the newest revision of each entry by name. */
class VersionCache<T> {
  readonly #cached = new Map<string | number, { readonly revision: number | null; readonly value: T }>();

  async get(name: string | number, revision: number | null, make: () => Promise<T>): Promise<T> {
    const cached = this.#cached.get(name);
    if (cached !== undefined && cached.revision === revision) return cached.value;
    const value = await make();
    this.#cached.set(name, { revision, value });
    return value;
  }
}

const caches = new WeakMap<ReadStatements, ReadyCardCache>();

function cacheOf({ sql }: Db): ReadyCardCache {
  // The operator owns all cards, so merchants share the cache of the connection.
  return caches.getOrInsertComputed(bareOf(sql), () => new ReadyCardCache());
}

/** Lists the cards in effect now, prepared, oldest first. */
export async function listReadyCards(db: Db): Promise<ReadyCard[]> {
  const { cards, systems, holidays } = cacheOf(db);
  const ready: ReadyCard[] = [];
  for (const row of await inEffect(db, { now: db.now })) {
    const { id, revision, created_at, updated_at } = row;
    const { card, terms } = await cards.get(id, revision, async () => {
      const content = await getContent(db, id, revision);
      return { card: { id, revision, created_at, updated_at, ...content }, terms: readyTerms(content.terms) };
    });
    ready.push({
      card,
      terms,
      zones: await systems.get(row.zone_system, row.zones_revision, async () => readSystem(db, row.zone_system)),
      isHoliday: await holidays.get(row.holidays ?? "", row.holidays_revision, async () => {
        return row.holidays === null ? () => false : isHolidayOf(await getHolidays(db, row.holidays));
      }),
    });
  }
  return ready;
}

/** Lists the built-in carriers with the cards in effect now: from the database, and those of simulated carriers. */
export async function listTariffs(db: Db): Promise<Tariff[]> {
  const own: Tariff = { carrier: builtInCarrier(db.mode), cards: await listReadyCards(db) };
  return db.mode === "live" ? [own] : [own, ...simulatedTariffs()];
}

async function getContent(db: Db, card_id: number, revision: number): Promise<CardContent> {
  const [row] = await versionOf(db, { card_id, revision });
  assert(row !== undefined, `card ${card_id} has a revision ${revision}`);
  return contentOf(row.content);
}

/** Whether any card in effect is not a sample. */
export async function hasOwnCards(db: Db): Promise<boolean> {
  return (await listReadyCards(db)).some(({ card }) => !card.sample);
}

const anyCard = prepared((select) => select.select({ id: rate_cards.id }).from(rate_cards).limit(1));

/** Whether any card exists, in effect or not. */
export async function hasCards(db: Db): Promise<boolean> {
  return (await anyCard(db, {})).length > 0;
}

/** Inserts a card and its first revision. */
export async function insertCard(tx: Tx, content: CardContent, actor: Actor): Promise<RateCard> {
  const stamps = { revision: 1, created_at: tx.now, updated_at: tx.now };
  const [id = 0] = await insertIds(tx, rate_cards, [{ ...columnsOf(content), ...stamps }]);
  await insertVersion(tx, id, 1, content, actor);
  return { id, ...content, ...stamps };
}

/** Saves a card as a new revision. */
export async function saveCard(tx: Tx, before: RateCard, content: CardContent, actor: Actor): Promise<RateCard> {
  const stamps = { revision: before.revision + 1, updated_at: tx.now };
  await tx.sql
    .update(rate_cards)
    .set({ ...columnsOf(content), ...stamps })
    .where(eq(rate_cards.id, before.id));
  await insertVersion(tx, before.id, stamps.revision, content, actor);
  return { id: before.id, ...content, created_at: before.created_at, ...stamps };
}

function columnsOf({ service, active, effective_from, effective_to, terms }: CardContent) {
  return { service, active, effective_from, effective_to, zone_system: terms.zones.system, holidays: terms.holidays };
}

async function insertVersion(tx: Tx, card_id: number, revision: number, content: CardContent, actor: Actor) {
  const { type, id, name, request_id } = actor;
  const by = { actor_type: type, actor_id: id, actor_name: name, request_id };
  await insert(tx, rate_card_versions, [
    { card_id, revision, content: storedContent(content), ...by, created_at: tx.now },
  ]);
}

const head = {
  id: rate_cards.id,
  revision: rate_cards.revision,
  created_at: rate_cards.created_at,
  updated_at: rate_cards.updated_at,
  content: rate_card_versions.content,
};
const isNewestVersion = and(
  eq(rate_card_versions.card_id, rate_cards.id),
  eq(rate_card_versions.revision, rate_cards.revision),
);

type CardHead = Omit<RateCard, keyof CardContent> & { readonly content: StoredContent };
const cardOf = ({ content, ...stamps }: CardHead): RateCard => ({ ...stamps, ...contentOf(content) });

/** Finds a card by its identifier, `rtc_1001` or `1001`. Refuses: resource_missing. */
export async function getCard(db: Db, id: string | number): Promise<RateCard> {
  const [row] = await db.sql
    .select(head)
    .from(rate_cards)
    .innerJoin(rate_card_versions, isNewestVersion)
    .where(eq(rate_cards.id, readId("rate_card", id) ?? 0));
  if (row === undefined) throw missing("rate card", id);
  return cardOf(row);
}

/** Like `getCard`, but locks the card until the transaction ends. Refuses: resource_missing. */
export async function lockCard(tx: Tx, id: string | number): Promise<RateCard> {
  const own = readId("rate_card", id) ?? 0;
  await forUpdate(tx.sql.select({ id: rate_cards.id }).from(rate_cards).where(eq(rate_cards.id, own)));
  return getCard(tx, id);
}

/** Rate cards, oldest first. */
export const cardList = recordList(rate_cards, {
  select: (sql) => sql.select(head).from(rate_cards).innerJoin(rate_card_versions, isNewestVersion),
  filters: {
    service: equals(rate_cards.service, ServiceField),
    active: exactly(
      rate_cards.active,
      Type.Boolean({ description: "True: only cards that price parcels. False: only the others." }),
    ),
  },
  order: {
    by: [asc(rate_cards.id)],
    beyond: ([, id]) => gt(rate_cards.id, id),
    position: ({ id }: RateCard) => [id, id],
  },
  records: (rows) => rows.map(cardOf),
});

/** Lists the active cards of a service. */
export async function listActiveCards(db: Db, service: string): Promise<readonly RateCard[]> {
  return cardList.rows(db, { service: [service], active: true }, { limit: 10_000 });
}

/** A revision of a card and its author. */
export type CardVersion = Omit<typeof rate_card_versions.$inferSelect, "content"> & { readonly content: CardContent };

/** The versions of a card, newest first. */
export const cardVersionList = recordList(rate_card_versions, {
  within: async (db, _, card) => eq(rate_card_versions.card_id, (await getCard(db, card)).id),
  order: {
    by: [desc(rate_card_versions.revision)],
    beyond: ([, id]) => lt(rate_card_versions.id, id),
    position: ({ revision, id }: CardVersion) => [revision, id],
  },
  records: (rows): readonly CardVersion[] => rows.map((row) => ({ ...row, content: contentOf(row.content) })),
});
