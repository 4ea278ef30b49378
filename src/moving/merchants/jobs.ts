// `packhouse move --merchant`: one merchant from one installation to another. Each world arrives in one transaction of
// the target, which is not served until all has arrived, agrees, and is closed at the source.
import { randomBytes } from "node:crypto";
import type { End, World } from "../../database/ends/end.ts";
import { openEnd } from "../../database/ends/open_end.ts";
import { startRefused } from "../../database/exit.ts";
import { type Mark, readMark } from "../../database/moved.ts";
import type { Clock } from "../../kit/clock.ts";
import { modes } from "../../kit/mode.ts";
import type { Terminal } from "../../kit/progress.ts";
import { isClosed, isSuspended, type MerchantStatus } from "../../merchants/status.ts";
import type { Moved } from "../jobs.ts";
import { type Arriving, bring, changedSince, takeBack } from "./arrival.ts";
import type { Keys } from "./carriage.ts";
import { endsOf, going, hindrances, whichOf } from "./rules.ts";

interface Moving {
  readonly from: string;
  readonly to: string;
  /** The code of the merchant. */
  readonly merchant: string;
  readonly clock: Clock;
  readonly terminal: Terminal;
  readonly print: (line: string) => void;
  /**
   * Runs `verify` on a place with its secret key, by a process of its own: null when there are no differences, else
   * what it said.
   */
  readonly verify: (place: string, key: Uint8Array | null) => Promise<string | null>;
  /** The secret keys of both ends, of which those that fit are found by what seals the installations. */
  readonly keysOf: (seals: { readonly source: string | null; readonly target: string | null }) => Keys;
}

interface Merchant {
  readonly id: number;
  readonly code: string;
  readonly status: MerchantStatus;
}

/**
 * Moves a merchant, or goes on with a move that was interrupted. Refuses, with a word that says what to do: a merchant
 * that is not suspended, or the only one; ends that are in use, have differences, or hold half of another move; a
 * target that has given the same ids to others.
 */
export async function moveMerchant(moving: Moving): Promise<Moved> {
  const begun_at = performance.now();
  return withEnds(moving, async (source, target) => {
    const merchant = await merchantOf(source, moving.merchant);
    const found = readMark(await target.worlds.live.mark()) ?? readMark(await target.worlds.test.mark());
    if (found !== null) refuseOther(found, source, target, moving);
    const is_done = found === null && isClosed(merchant.status) && (await isAt(target, merchant));
    // Until it is closed at the source, it may have been used there since it arrived.
    const has_arrived = found?.filled === true && isClosed(merchant.status);
    if (!is_done && !has_arrived) await fill(source, target, merchant, found, moving);
    if (is_done) moving.print(`${merchant.code} was moved there before.`);
    await finish(source, target, merchant, moving.clock.now());
    const tables = await rowsOf(source, merchant);
    const rows = tables.reduce((sum, { rows }) => sum + rows, 0);
    const seconds = (performance.now() - begun_at) / 1000;
    return { from: source.place, to: target.place, rows, seconds, tables };
  });
}

/** Takes back what has arrived of a merchant by a move that is not finished: the target is served again. */
export async function undoMerchant(moving: Pick<Moving, "from" | "to" | "merchant">): Promise<void> {
  await withEnds(moving, async (source, target) => {
    const merchant = await merchantOf(source, moving.merchant);
    const found = readMark(await target.worlds.live.mark()) ?? readMark(await target.worlds.test.mark());
    if (found === null) {
      throw startRefused("unsuitable", `Nothing of ${merchant.code} is on its way to ${target.place}.`);
    }
    refuseOther(found, source, target, moving);
    if (isClosed(merchant.status)) {
      const said = `${merchant.code} is closed at ${source.place} already`;
      throw startRefused("unsuitable", `${said}: run the same move again, without --undo, to finish it.`);
    }
    for (const mode of modes) await takeBack(target.worlds[mode], merchant.id);
  });
}

async function withEnds<T>(
  { from, to }: Pick<Moving, "from" | "to">,
  work: (source: End, target: End) => Promise<T>,
): Promise<T> {
  const source = await openEnd(from, "--from", "source");
  try {
    const gone = readMark(await source.worlds.live.mark());
    if (gone !== null)
      throw startRefused("unsuitable", `${source.place} is or holds a part of a move with ${gone.other}.`);
    const target = await openEnd(to, "--to", "target");
    try {
      return await work(source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function isAt(target: End, { id, code }: Merchant): Promise<boolean> {
  const [row] = await target.worlds.live.ask(`select code from merchants where id = ${id}`);
  return row?.[0] === code;
}

async function merchantOf(source: End, code: string): Promise<Merchant> {
  const all = await source.worlds.live.ask("select id, code, status from merchants");
  const found = all.find(([, other]) => other === code);
  if (found === undefined) throw startRefused("absent", `${source.place} has no merchant ${code}.`);
  const open = all.filter(([, , status]) => !isClosed(status as MerchantStatus));
  const merchant = { id: Number(found[0]), code, status: found[2] as MerchantStatus };
  if (!isClosed(merchant.status) && open.length === 1) {
    throw startRefused("unsuitable", `${code} is the only merchant there: move all, without --merchant.`);
  }
  return merchant;
}

function refuseOther(found: Mark, source: End, target: End, { merchant }: Pick<Moving, "merchant">): void {
  if (found.state === "arriving" && found.merchant === merchant && found.other === source.place) return;
  const what = found.merchant === null ? "" : ` of the merchant ${found.merchant}`;
  const held =
    found.state === "moved" ? `was moved to ${found.other}` : `holds half of a move${what} from ${found.other}`;
  throw startRefused("unsuitable", `${target.place} ${held}. See to that first.`);
}

/** Brings both worlds, unless they have arrived; what is refused leaves the target as it was. */
async function fill(source: End, target: End, merchant: Merchant, found: Mark | null, moving: Moving): Promise<void> {
  await refuseUnready(source, moving);
  const { verify, print, clock, terminal } = moving;
  const seal = async (world: World) => (await world.itself()).get("seal") ?? null;
  const keys = moving.keysOf({ source: await seal(source.worlds.live), target: await seal(target.worlds.live) });
  await lookAt(source, () => verify(moving.from, keys.source), print);
  if (found === null) await lookAt(target, () => verify(moving.to, keys.target), print);
  // Commands may have worked beside these.
  await refuseUnready(source, moving);
  const people = await peopleOf(source, merchant);
  const at = clock.now();
  const move_id = found?.move_id ?? randomBytes(8).toString("hex");
  const mark = { state: "arriving", move_id, other: source.place, at, merchant: merchant.code } as const;
  try {
    for (const mode of modes) {
      const worlds = { source: source.worlds[mode], target: target.worlds[mode] };
      const arriving: Arriving = { ...worlds, merchant: merchant.id, keys, people, at, terminal };
      const has_arrived = readMark(await worlds.target.mark()) !== null;
      if (has_arrived && (await changedSince(arriving)) === null) continue;
      await takeBack(worlds.target, merchant.id);
      await bring(arriving, { ...mark, restore: [], filled: false });
    }
    const differences = await target.lend(() => verify(moving.to, keys.target));
    if (differences !== null) throw startRefused("damaged", `What arrived does not agree:\n${differences}`);
    print(`${target.place} was looked over: 0 differences.`);
  } catch (error) {
    for (const mode of modes) await takeBack(target.worlds[mode], merchant.id);
    throw error;
  }
  const { live } = target.worlds;
  await live.setMark(JSON.stringify({ ...(readMark(await live.mark()) as Mark), filled: true }));
}

async function refuseUnready(source: End, moving: Moving): Promise<void> {
  const { id, code, status } = await merchantOf(source, moving.merchant);
  if (isClosed(status))
    throw startRefused("unsuitable", `${code} is closed at ${source.place}: nothing of it is moved.`);
  if (!isSuspended(status)) {
    const data = moving.from.includes("://") ? "--database-url URL" : `--data ${moving.from}`;
    const way = `Run packhouse merchants suspend --merchant ${code} ${data} first`;
    throw startRefused("unsuitable", `${code} is not suspended at ${source.place}. ${way}: its orders wait meanwhile.`);
  }
  for (const mode of modes) {
    for (const [query, said] of hindrances(id)) {
      const count = (await source.worlds[mode].ask(query))[0]?.[0] ?? "0";
      if (count !== "0") throw startRefused("unsuitable", `${code} cannot be moved yet (${mode}): ${said(count)}.`);
    }
  }
}

/** Differences that are there already would be found at the target, where nobody could tell where they come from. */
async function lookAt(end: End, verify: () => Promise<string | null>, print: Moving["print"]): Promise<void> {
  const found = await end.lend(verify);
  if (found === null) return print(`${end.place} was looked over: 0 differences.`);
  throw startRefused("unsuitable", `${end.place} does not agree with itself, so that nothing is moved:\n${found}`);
}

/** The live world alone knows people. */
async function peopleOf(source: End, { id }: Merchant): Promise<ReadonlySet<string>> {
  const rows = await source.worlds.live.ask(`select 'usr_' || user_id from memberships where merchant_id = ${id}`);
  return new Set(rows.map(([user]) => user ?? ""));
}

/** Closes the merchant at the source; then the target is served. Done again, it does what is left of it. */
async function finish(source: End, target: End, merchant: Merchant, at: number): Promise<void> {
  for (const mode of modes) {
    const world = source.worlds[mode];
    await world.run(endsOf(merchant.id, at), null);
  }
  for (const mode of ["test", "live"] as const) await target.worlds[mode].setMark(null);
}

async function rowsOf(source: End, { id }: Merchant): Promise<Moved["tables"]> {
  const found: Moved["tables"][number][] = [];
  for (const mode of modes) {
    const world = source.worlds[mode];
    const tables = new Map((await world.tables()).map((table) => [table.name, table]));
    for (const { goes, table } of going) {
      const known = tables.get(table);
      if (known === undefined || (goes !== "own" && goes !== "with")) continue;
      const rows = await world.count(known, whichOf(table, id));
      if (rows > 0) found.push({ mode, table, rows });
    }
  }
  return found;
}
