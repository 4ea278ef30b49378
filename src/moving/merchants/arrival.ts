// One world of a merchant's move: its rows arrive in one transaction of the target, are compared, and are taken back.
import { databaseCode } from "../../database/conflict.ts";
import { Pages, type Pair, pairsOf } from "../../database/ends/copying.ts";
import { type Cell, keyOf, type Row, type World } from "../../database/ends/end.ts";
import { startRefused } from "../../database/exit.ts";
import { type Mark, readMark } from "../../database/moved.ts";
import type { Terminal } from "../../kit/progress.ts";
import { RowProgress } from "../../kit/row_progress.ts";
import { isUnnamed } from "../../merchants/status.ts";
import { Carriage, type Cells, cellsOf, type Keys, loadOf, rowOf } from "./carriage.ts";
import { apart, type Going, going, whichOf } from "./rules.ts";

/** What arrives, and from where. */
export interface Arriving {
  readonly source: World;
  readonly target: World;
  readonly merchant: number;
  readonly keys: Keys;
  /** The merchant's people at the source, by their ids on the wire. */
  readonly people: ReadonlySet<string>;
  readonly at: number;
  readonly terminal: Terminal;
}

const rows_at_once = 500;

/** A table that goes along, at both ends. */
interface Way extends Pair {
  readonly rule: Going;
}

async function waysOf({ source, target }: Arriving): Promise<readonly Way[]> {
  const pairs = new Map((await pairsOf(source, target)).map((pair) => [pair.from.name, pair]));
  return going
    .filter(({ goes }) => goes !== "not")
    .map((rule) => {
      const pair = pairs.get(rule.table);
      if (pair === undefined) throw new Error(`there is no table ${rule.table}`);
      return { rule, ...pair };
    });
}

const isOwned = ({ rule }: Way) => rule.goes === "own" || rule.goes === "with";

/**
 * Puts all that a merchant has in one world into the target and compares it there, all or nothing; the target is marked
 * with it. Refuses ids and names that the target has given to others.
 */
export async function bring(arriving: Arriving, mark: Mark): Promise<void> {
  const { source, target, merchant } = arriving;
  const ways = await waysOf(arriving);
  await target.whole(async () => {
    const carriage = new Carriage(await loadOf(source, target, merchant, arriving));
    const back: string[] = [];
    await startBilling(arriving, back);
    const last = (await target.ask("select number from counters where name = 'events'"))[0]?.[0] ?? "0";
    back.push(`update counters set number = ${last} where name = 'events'`);
    await putMerchant(arriving, back);
    await putPlaces(arriving, ways, carriage, back);
    await putShared(arriving, ways, carriage, back);
    const bar = new RowProgress(`${source.mode}: copied`, await countOf(arriving, ways), arriving.terminal);
    for (const way of ways.filter(isOwned)) await putRows(arriving, way, carriage, bar);
    bar.done();
    await target.run([`update counters set number = ${carriage.last_position} where name = 'events'`], null);
    await settle(arriving);
    const different = await compare(arriving, ways, carriage);
    if (different !== null) throw startRefused("damaged", `Not all has arrived as it was: ${different}`);
    await target.run([], JSON.stringify({ ...mark, restore: back.reverse() } satisfies Mark));
  });
}

/** What differs between what arrived before and what the source has by now; null when nothing does. */
export async function changedSince(arriving: Arriving): Promise<string | null> {
  const { source, target, merchant } = arriving;
  const ways = await waysOf(arriving);
  const carriage = new Carriage(await loadOf(source, target, merchant, arriving));
  try {
    for (const { rule, from, to } of ways) {
      if (rule.goes === "place") await findPlaces(arriving, { rule, from, to }, carriage, null);
    }
  } catch {
    return "what the house has for it differs";
  }
  return compare(arriving, ways, carriage);
}

/** Takes back what has arrived in a world, and its mark with it: the target is as it was, but for ids passed over. */
export async function takeBack(target: World, merchant: number): Promise<void> {
  const mark = readMark(await target.mark());
  if (mark === null) return;
  const triggers = (await target.resting()).filter(({ drop }) => /trigger/.test(drop));
  const deletes = going
    .filter((rule) => rule.goes === "own" || rule.goes === "with")
    .map(({ table }) => `delete from ${table} where ${whichOf(table, merchant)}`)
    .reverse();
  await target.run(
    [
      ...triggers.map(({ drop }) => drop).reverse(),
      ...deletes,
      `delete from order_counts where merchant_id = ${merchant}`,
      ...mark.restore,
      ...triggers.map(({ restore }) => restore),
    ],
    null,
  );
}

/** Acts of before there were bills have no facts: a target without any begins them when the source did. */
async function startBilling({ source, target }: Arriving, back: string[]): Promise<void> {
  const began = async (world: World) => (await world.ask("select began_at from billing_start"))[0]?.[0] ?? null;
  const [mine, other] = [await began(source), await began(target)];
  const [facts] = await target.ask("select count(*) from billable_events");
  if (mine === null || other === null || mine === other || facts?.[0] !== "0") return;
  await target.run([`update billing_start set began_at = ${mine}`], null);
  back.push(`update billing_start set began_at = ${other}`);
}

async function putMerchant({ source, target, merchant }: Arriving, back: string[]): Promise<void> {
  const table = (await target.tables()).find(({ name }) => name === "merchants");
  const from = (await source.tables()).find(({ name }) => name === "merchants");
  if (table === undefined || from === undefined) throw new Error("there is no table merchants");
  const [row] = await source.page(from, null, 1, `id = ${merchant}`);
  const [there] = await target.page(table, null, 1, `id = ${merchant}`);
  back.push(`delete from merchants where id = ${merchant}`);
  if (there !== undefined) {
    const { code, name } = cellsOf(table, there);
    if (!isUnnamed(code ?? "", name ?? "") || (await ownsAnything(target, merchant))) {
      throw startRefused("unsuitable", `The target has a merchant with the same id, ${code} (mer_${merchant}).`);
    }
    await target.run([`delete from merchants where id = ${merchant}`], null);
    // What is noted is done in the opposite order.
    back.splice(-1, 0, insertOf("merchants", cellsOf(table, there)));
  }
  if (row !== undefined) await putAll(target, table, [row]);
}

async function ownsAnything(target: World, merchant: number): Promise<boolean> {
  const owned = (await target.tables()).filter(({ columns }) => columns.some(({ name }) => name === "merchant_id"));
  for (const table of owned) if ((await target.count(table, `merchant_id = ${merchant}`)) > 0) return true;
  return false;
}

const literal = (cell: Cell) => (cell === null ? "null" : `'${cell.replaceAll("'", "''")}'`);

/** A statement that puts a row of plain values back. */
function insertOf(table: string, cells: Cells): string {
  const values = Object.values(cells).map(literal);
  return `insert into ${table} (${Object.keys(cells).join()}) values (${values.join()})`;
}

async function putPlaces(arriving: Arriving, ways: readonly Way[], carriage: Carriage, back: string[]): Promise<void> {
  for (const way of ways) {
    if (way.rule.goes !== "place") continue;
    const made = await findPlaces(arriving, way, carriage, arriving.at);
    for (let at = 0; at < made.length; at += rows_at_once) {
      back.push(`delete from ${way.rule.table} where id in (${made.slice(at, at + rows_at_once).join()})`);
    }
  }
  await putCloses(arriving, carriage, back);
  const gone = await arriving.target.ask("select id from carrier_accounts where deleted_at is not null");
  carriage.setWithoutCredentials(new Set(gone.map(([id]) => id ?? "")));
}

/**
 * Finds the records of the house that rows refer to at the target, by what they are called. Those that are missing are
 * made, at a moment, and their ids answered; without one they are refused.
 */
async function findPlaces(
  { source, target, merchant }: Arriving,
  { rule, from, to }: Way,
  carriage: Carriage,
  at: number | null,
): Promise<readonly string[]> {
  if (rule.goes !== "place") throw new Error(`${rule.table} is no place`);
  const told = (cells: Cells, columns: readonly string[]) => JSON.stringify(columns.map((name) => cells[name]));
  const known = new Map<string, Cells>();
  const taken = new Set<string>();
  const all = await target.ask(`select id, ${[...rule.called, ...rule.alike].join()} from ${rule.table}`);
  for (const [id = null, ...values] of all) {
    const cells = Object.fromEntries([...rule.called, ...rule.alike].map((name, nth) => [name, values[nth] ?? null]));
    known.set(told(cells, rule.called), { ...cells, id });
    taken.add(id ?? "");
  }
  let next = Math.max(...(await bothSequences(source, target, rule.table)));
  const ids = new Map<string, string>();
  const made: Row[] = [];
  const new_ids: string[] = [];
  for await (const row of rowsOf(source, from, whichOf(rule.table, merchant))) {
    const cells = carriage.carry(rule, cellsOf(from, row), false);
    const there = known.get(told(cells, rule.called));
    const id = cells["id"] ?? "";
    if (there !== undefined) {
      refuseUnlike(rule.table, rule.called, rule.alike, cells, there);
      ids.set(id, there["id"] ?? "");
      continue;
    }
    if (at === null) throw new Error(`${rule.table} lacks ${id}`);
    if (taken.has(id)) next += 1;
    const new_id = taken.has(id) ? String(next) : id;
    taken.add(new_id);
    ids.set(id, new_id);
    new_ids.push(new_id);
    made.push(rowOf(to, madeOf(rule.table, { ...cells, id: new_id }, merchant, at)));
  }
  carriage.setPlaces(rule.table as Parameters<Carriage["setPlaces"]>[0], ids);
  for (let nth = 0; nth < made.length; nth += rows_at_once)
    await putAll(target, to, made.slice(nth, nth + rows_at_once));
  return new_ids;
}

/** A record of the house as it is made at the target. */
function madeOf(table: string, cells: Cells, merchant: number, at: number): Cells {
  if (table === "carrier_accounts") return { ...cells, deleted_at: cells["deleted_at"] ?? String(at) };
  if (table !== "bins") return cells;
  const own = cells["dedicated_merchant_id"] === String(merchant);
  return { ...cells, dedicated_merchant_id: own ? String(merchant) : null };
}

function refuseUnlike(
  table: string,
  called: readonly string[],
  alike: readonly string[],
  mine: Cells,
  other: Cells,
): void {
  const odd = alike.find((name) => mine[name] !== other[name]);
  if (odd === undefined) return;
  const name = mine[called.at(-1) ?? "id"];
  const said = `${table} ${name} has ${odd} ${mine[odd]} at the source and ${other[odd]} at the target`;
  throw startRefused("unsuitable", `${said}. Make them equal, or give one another name.`);
}

/** The days of storage of a warehouse that has had nothing at the target begin where those of the source do. */
async function putCloses({ source, target }: Arriving, carriage: Carriage, back: string[]): Promise<void> {
  const tables = (await target.tables()).filter(({ name }) => name === "storage_closes");
  const [to] = tables;
  const from = (await source.tables()).find(({ name }) => name === "storage_closes");
  if (to === undefined || from === undefined) throw new Error("there is no table storage_closes");
  for (const [mine, there] of carriage.placesOf("warehouses")) {
    const [held] = await target.ask(`select count(*) from stock_items where warehouse_id = ${there}`);
    if (held?.[0] !== "0") continue;
    const remove = `delete from storage_closes where warehouse_id = ${there}`;
    await target.run([remove], null);
    back.push(remove);
    const rows = await source.page(from, null, 1_000_000, `warehouse_id = ${mine}`);
    await putAll(
      target,
      to,
      rows.map((row) => rowOf(to, { ...cellsOf(from, row), warehouse_id: there })),
    );
  }
}

/** Records of the house that several merchants share keep their ids: one that is there already is the same. */
async function putShared(arriving: Arriving, ways: readonly Way[], carriage: Carriage, back: string[]): Promise<void> {
  const { source, target, merchant } = arriving;
  for (const { rule, from, to } of ways) {
    if (rule.goes !== "shared") continue;
    for await (const row of rowsOf(source, from, whichOf(rule.table, merchant))) {
      const cells = carriage.carry(rule, cellsOf(from, row), false);
      const [there] = await target.page(to, null, 1, `id = ${cells["id"]}`);
      if (there === undefined) {
        await putAll(target, to, [rowOf(to, cells)]);
        back.push(`delete from ${rule.table} where id = ${cells["id"]}`);
      } else if (rowOf(to, cells).some((cell, at) => cell !== there[at])) {
        throw startRefused("unsuitable", `The target has given the id ${cells["id"]} of ${rule.table} to another.`);
      }
    }
  }
}

async function putRows(arriving: Arriving, { rule, from, to }: Way, carriage: Carriage, bar: RowProgress) {
  const { source, target, merchant } = arriving;
  carriage.begin();
  for await (const rows of pagesOf(source, from, whichOf(rule.table, merchant))) {
    const carried = rows.map((row) => rowOf(to, carriage.carry(rule, cellsOf(from, row), false)));
    await putAll(target, to, carried);
    bar.step(rows.length);
  }
}

async function putAll(target: World, table: Pair["to"], rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  try {
    await target.put(table, rows);
  } catch (error) {
    if (!(error instanceof Error) || databaseCode(error) === null) throw error;
    const { detail } = error as { readonly detail?: string };
    const way =
      "A merchant keeps its ids and names, which are taken there. Move it into an installation of its own, " +
      "or take packhouse export and import.";
    const said = `The target refuses rows of ${table.name}: ${(detail ?? error.message).replace(/\.$/, "")}.`;
    throw Object.assign(startRefused("unsuitable", `${said} ${way} Nothing was changed.`), { cause: error });
  }
}

/** The rows of a part of a table, in the order of their key, some at a time. */
async function* pagesOf(world: World, table: Pair["from"], which: string): AsyncGenerator<readonly Row[]> {
  let after: Row | null = null;
  for (const pages = new Pages(); ; ) {
    const rows: readonly Row[] = await world.page(table, after, pages.limit, which);
    const last = rows.at(-1);
    if (last === undefined) return;
    pages.saw(rows);
    yield rows;
    after = keyOf(table, last);
  }
}

async function* rowsOf(world: World, table: Pair["from"], which: string): AsyncGenerator<Row> {
  for await (const rows of pagesOf(world, table, which)) yield* rows;
}

async function countOf({ source, merchant }: Arriving, ways: readonly Way[]): Promise<number> {
  let sum = 0;
  for (const { rule, from } of ways.filter(isOwned)) sum += await source.count(from, whichOf(rule.table, merchant));
  return sum;
}

async function bothSequences(source: World, target: World, table: string): Promise<[number, number]> {
  const last = async (world: World) => Number((await world.sequences()).get(table) ?? 0);
  return [await last(source), await last(target)];
}

/** Lets the target's ids begin far above those of the source, its time not before that of its rows. */
async function settle({ source, target }: Arriving): Promise<void> {
  const [mine, other] = [await source.sequences(), await target.sequences()];
  const tables = new Map((await target.tables()).map((table) => [table.name, table]));
  const sequences = new Map<string, string>();
  for (const [name, last] of other) {
    const table = tables.get(name);
    const [id = null] = table === undefined ? [] : ((await target.last(table)) ?? []);
    sequences.set(name, String(Math.max(Number(last), Number(id ?? 0), Number(mine.get(name) ?? 0) + apart)));
  }
  const time = String(Math.max(Number(await source.time()), Number(await target.time())));
  await target.settle({ sequences, time, itself: await target.itself() });
}

/** Reads all rows at both ends and holds them against each other; answers the first difference, or null. */
async function compare(arriving: Arriving, ways: readonly Way[], carriage: Carriage): Promise<string | null> {
  const { source, target, merchant } = arriving;
  const bar = new RowProgress(`${source.mode}: compared`, await countOf(arriving, ways), arriving.terminal);
  for (const { rule, from, to } of ways.filter(isOwned)) {
    carriage.begin();
    const which = whichOf(rule.table, merchant);
    const others = rowsOf(target, to, which);
    for await (const row of rowsOf(source, from, which)) {
      const mine = carriage.carry(rule, cellsOf(from, row), true);
      const { value } = await others.next();
      const other = value === undefined ? null : carriage.shown(rule, cellsOf(to, value as Row));
      const odd = other === null ? "absent" : Object.keys(mine).find((name) => mine[name] !== other[name]);
      if (odd !== undefined) return `${rule.table} ${keyOf(from, row).join(", ")}: ${odd}`;
      bar.step(1);
    }
    if ((await others.next()).done !== true) return `${rule.table}: the target alone has a row`;
  }
  bar.done();
  return null;
}
