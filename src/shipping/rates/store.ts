import { and, asc, eq, isNull, lte, or, sql } from "drizzle-orm";
import { holiday_sets, rate_card_versions, rate_cards, zone_charts, zone_systems } from "../../../db/schema/rates.ts";
import { type Args, insert, insertIds, prepared } from "../../database/statements.ts";
import type { Db, Reading, Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { assert } from "../../kit/assert.ts";
import { federalHolidays, isHolidayOf } from "../delivery/holidays.ts";
import { type ReadySystem, readySystem } from "../zones/system.ts";
import type { CardContent, RateCard } from "./card.ts";
import type { ReadyCard } from "./offers.ts";
import { type ReadyTerms, readyTerms } from "./price.ts";

const inEffect = prepared((select, a: Args<{ now: number }>) =>
  select
    .select({
      id: rate_cards.id,
      version: rate_cards.version,
      created_at: rate_cards.created_at,
      updated_at: rate_cards.updated_at,
      zone_system: rate_cards.zone_system,
      zones_version: zone_systems.version,
      holidays: rate_cards.holidays,
      holidays_version: holiday_sets.version,
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

const contentOf = prepared((select, a: Args<{ card_id: number; version: number }>) =>
  select
    .select({ content: rate_card_versions.content })
    .from(rate_card_versions)
    .where(and(eq(rate_card_versions.card_id, a.card_id), eq(rate_card_versions.version, a.version))),
);

const systemByName = prepared((select, a: Args<{ name: string }>) =>
  select.select().from(zone_systems).where(eq(zone_systems.name, a.name)),
);
const chartsOf = prepared((select, a: Args<{ system_id: number }>) =>
  select.select().from(zone_charts).where(eq(zone_charts.system_id, a.system_id)).orderBy(asc(zone_charts.id)),
);
const holidaysOf = prepared((select, a: Args<{ carrier: string }>) =>
  select.select().from(holiday_sets).where(eq(holiday_sets.carrier, a.carrier)),
);

/** What one connection has read and prepared, each for the version that it was read in. */
class Prepared {
  readonly cards = new Kept<{ readonly card: RateCard; readonly terms: ReadyTerms }>();
  readonly systems = new Kept<ReadySystem>();
  readonly holidays = new Kept<(day: number) => boolean>();
}

/** The newest version of things by their name, so that each is read once. */
class Kept<Thing> {
  readonly #known = new Map<string | number, { readonly version: number | null; readonly thing: Thing }>();

  async get(name: string | number, version: number | null, make: () => Promise<Thing>): Promise<Thing> {
    const known = this.#known.get(name);
    if (known !== undefined && known.version === version) return known.thing;
    const thing = await make();
    this.#known.set(name, { version, thing });
    return thing;
  }
}

const kept = new WeakMap<Reading, Prepared>();

function preparedFor({ sql: connection }: Db): Prepared {
  const known = kept.get(connection) ?? new Prepared();
  kept.set(connection, known);
  return known;
}

/** The cards that price parcels now, prepared, in the order in which they were made. */
export async function listReadyCards(db: Db): Promise<ReadyCard[]> {
  const { cards, systems, holidays } = preparedFor(db);
  const found: ReadyCard[] = [];
  for (const row of await inEffect(db, { now: db.now })) {
    const { id, version, created_at, updated_at } = row;
    const { card, terms } = await cards.get(id, version, async () => {
      const content = await getContent(db, id, version);
      return { card: { id, version, created_at, updated_at, ...content }, terms: readyTerms(content.terms) };
    });
    found.push({
      card,
      terms,
      zones: await systems.get(row.zone_system, row.zones_version, async () => readSystem(db, row.zone_system)),
      isHoliday: await holidays.get(row.holidays ?? "", row.holidays_version, async () => {
        return row.holidays === null ? () => false : isHolidayOf(await getHolidays(db, row.holidays));
      }),
    });
  }
  return found;
}

async function getContent(db: Db, card_id: number, version: number): Promise<CardContent> {
  const [row] = await contentOf(db, { card_id, version });
  assert(row !== undefined, `card ${card_id} has a version ${version}`);
  return row.content;
}

async function readSystem(db: Db, name: string): Promise<ReadySystem> {
  const [system] = await systemByName(db, { name });
  if (system === undefined) return readySystem({ charts: [], overrides: [] });
  return readySystem({ charts: await chartsOf(db, { system_id: system.id }), overrides: system.overrides });
}

/** The days on which a carrier rests: those of the United States, unless others were set. */
async function getHolidays(db: Db, carrier: string) {
  const [set] = await holidaysOf(db, { carrier });
  return set ?? federalHolidays;
}

const anyCard = prepared((select) => select.select({ id: rate_cards.id }).from(rate_cards).limit(1));

/** Whether there is any card, in effect or not. */
export async function hasCards(db: Db): Promise<boolean> {
  return (await anyCard(db, {})).length > 0;
}

/** Stores a new card with its first version. */
export async function insertCard(tx: Tx, content: CardContent, actor: Actor): Promise<RateCard> {
  const stamps = { version: 1, created_at: tx.now, updated_at: tx.now };
  const [id = 0] = await insertIds(tx, rate_cards, [{ ...columnsOf(content), ...stamps }]);
  await insertVersion(tx, id, 1, content, actor);
  return { id, ...content, ...stamps };
}

function columnsOf({ service, active, effective_from, effective_to, terms }: CardContent) {
  return { service, active, effective_from, effective_to, zone_system: terms.zones.system, holidays: terms.holidays };
}

async function insertVersion(tx: Tx, card_id: number, version: number, content: CardContent, actor: Actor) {
  const { type, id, name, request_id } = actor;
  const by = { actor_type: type, actor_id: id, actor_name: name, request_id };
  await insert(tx, rate_card_versions, [{ card_id, version, content, ...by, created_at: tx.now }]);
}
