// Rows of a merchant as they are to stand in another installation: where records of the house have other ids there,
// where secrets are sealed under another key, and where numbers go on.

import type { Cell, Row, Table, World } from "../../database/ends/end.ts";
import { startRefused } from "../../database/exit.ts";
import type { Actor } from "../../kit/actor.ts";
import { isSealed, open, seal } from "../../kit/seal.ts";
import { type Going, type Place, the_merchant, the_warehouse, whichOf } from "./rules.ts";

/** The values of a row by their columns. */
export type Cells = Record<string, Cell>;

/** A row by its columns. */
export const cellsOf = (table: Table, row: Row): Cells =>
  Object.fromEntries(table.columns.map(({ name }, at) => [name, row[at] ?? null]));
/** Values by their columns as a row of a table. */
export const rowOf = (table: Table, cells: Cells): Row => table.columns.map(({ name }) => cells[name] ?? null);

/** The secret keys of both ends; null for one that has none. */
export interface Keys {
  readonly source: Uint8Array | null;
  readonly target: Uint8Array | null;
}

/** Who did something, as the source knows them by their ids on the wire. */
interface Doers {
  /** The merchant's own keys, which go along. */
  readonly keys: ReadonlySet<string>;
  /** The merchant's people, who do not. */
  readonly people: ReadonlySet<string>;
}

/** Where the numbers of events go on at the target. */
interface Numbers {
  /** The number of the last event that was there before. */
  readonly event: number;
  /** The place of the last event that was there before. */
  readonly position: number;
}

interface Load {
  readonly merchant: number;
  readonly keys: Keys;
  readonly doers: Doers;
  /** The merchant's own webhooks, which go along, by their ids. */
  readonly webhooks: ReadonlySet<string>;
  readonly numbers: Numbers;
  /** The merchant's events that have a place at the source, by that place, in their order. */
  readonly positions: readonly string[];
}

/** Makes of each row of the source the row of the target. Rows of a table come in the order of their keys. */
export class Carriage {
  readonly #load: Load;
  readonly #places = new Map<Place, Map<string, string>>();
  readonly #ranks: ReadonlyMap<string, number>;
  /** Accounts of which the target has no credentials: nobody is asked by them. */
  #without_credentials: ReadonlySet<string> = new Set();
  #events = 0;

  constructor(load: Load) {
    this.#load = load;
    this.#ranks = new Map(load.positions.map((position, at) => [position, at + 1]));
  }

  /** The place of the last event once all have arrived. */
  get last_position(): number {
    return this.#load.numbers.position + this.#load.positions.length;
  }

  setPlaces(table: Place, ids: Map<string, string>): void {
    this.#places.set(table, ids);
  }

  placesOf(table: Place): ReadonlyMap<string, string> {
    return this.#places.get(table) ?? new Map();
  }

  setWithoutCredentials(accounts: ReadonlySet<string>): void {
    this.#without_credentials = accounts;
  }

  /** Begins with the rows of a table anew. */
  begin(): void {
    this.#events = 0;
  }

  /** The row at the target; with `opened`, what is sealed is shown as it is, to be compared. */
  carry(rule: Going, cells: Cells, opened: boolean): Cells {
    const carried: Cells = { ...cells };
    for (const column of rule.emptied ?? []) carried[column] = null;
    for (const [column, place] of Object.entries(rule.places ?? {})) this.#translate(carried, column, place);
    for (const column of rule.doers ?? []) this.#hide(carried, column);
    for (const column of rule.webhooks ?? []) carried[column] = this.#ownWebhooks(cells[column] ?? null);
    for (const [column, use] of Object.entries(rule.sealed ?? {})) {
      carried[column] = this.#sealed(rule.table, cells[column] ?? null, use, opened);
    }
    return this.#numbered(rule.table, carried);
  }

  /** A row of the target with what is sealed shown as it is. */
  shown(rule: Going, cells: Cells): Cells {
    const { target } = this.#load.keys;
    const shown: Cells = { ...cells };
    for (const [column, use] of Object.entries(rule.sealed ?? {})) shown[column] = openedBy(target, cells[column], use);
    return shown;
  }

  #translate(carried: Cells, column: string, place: Place): void {
    const id = carried[column] ?? null;
    if (id === null) return;
    const there = this.#places.get(place)?.get(id);
    if (there === undefined)
      throw startRefused("damaged", `A row refers to ${id} of ${place}, which does not go along.`);
    carried[column] = there;
  }

  #hide(carried: Cells, column: string): void {
    const told = carried[column] ?? null;
    if (told === null) return;
    if (told.startsWith("{")) {
      const instead = this.#instead((JSON.parse(told) as Actor).id);
      if (instead !== null) carried[column] = JSON.stringify(instead);
      return;
    }
    const instead = this.#instead(told);
    if (instead === null) return;
    carried[column] = instead.id;
    if (column !== "actor_id") return;
    carried["actor_type"] = instead.type;
    if ("actor_name" in carried) carried["actor_name"] = instead.name;
    if ("request_id" in carried) carried["request_id"] = null;
  }

  /** Who is named instead: ids of people and keys of the house mean others at the target. */
  #instead(id: string): typeof the_warehouse | typeof the_merchant | null {
    if (!/^(?:usr|key)_\d+$/.test(id) || this.#load.doers.keys.has(id)) return null;
    return this.#load.doers.people.has(id) ? the_merchant : the_warehouse;
  }

  #ownWebhooks(told: Cell): Cell {
    if (told === null) return null;
    const ids = JSON.parse(told) as readonly number[];
    return JSON.stringify(ids.filter((id) => this.#load.webhooks.has(String(id))));
  }

  #sealed(table: string, text: Cell, use: string, opened: boolean): Cell {
    const { source, target } = this.#load.keys;
    if (text === null || !isSealed(text)) return text;
    if (source === null || target === null) {
      const end = source === null ? "--from" : "--to";
      throw startRefused("unsuitable", `${table} holds secrets. Give the secret key of ${end} by ${end}-secret-key.`);
    }
    const plain = open(text, source, use);
    return plain === null || opened ? (plain ?? text) : seal(plain, target, use);
  }

  #numbered(table: string, carried: Cells): Cells {
    const { numbers } = this.#load;
    if (table === "events") {
      this.#events += 1;
      const position = carried["position"] ?? null;
      carried["seq"] = String(numbers.event + this.#events);
      if (position !== null) carried["position"] = String(numbers.position + (this.#ranks.get(position) ?? 0));
    }
    if (table === "subscriptions") carried["begins_after"] = String(this.last_position);
    if (table === "tracking_records" && this.#without_credentials.has(carried["account_id"] ?? ""))
      carried["look_at"] = null;
    return carried;
  }
}

const openedBy = (key: Uint8Array | null, text: Cell | undefined, use: string): Cell =>
  text === null || text === undefined ? null : key === null ? text : (open(text, key, use) ?? text);

/** Reads what the rows of a merchant need to be carried, from the source and, for the numbers, from the target. */
export async function loadOf(
  source: World,
  target: World,
  merchant: number,
  given: { readonly keys: Keys; readonly people: ReadonlySet<string> },
): Promise<Load> {
  const column = async (world: World, query: string) => (await world.ask(query)).map(([id]) => id ?? "");
  const keys = await column(source, `select 'key_' || id from api_keys where ${whichOf("api_keys", merchant)}`);
  const webhooks = await column(source, `select id from subscriptions where ${whichOf("subscriptions", merchant)}`);
  const positions = await column(
    source,
    `select position from events where merchant_id = ${merchant} and position is not null order by position`,
  );
  const [there] = await target.ask(
    `select min(seq) - 1, min(position) - 1 from events where merchant_id = ${merchant} having count(*) > 0`,
  );
  const [last] = await target.ask("select number from counters where name = 'events'");
  const allotted = Number((await target.sequences()).get("events") ?? 0);
  const event = there === undefined ? allotted : Number(there[0]);
  const position = there?.[1] == null ? Number(last?.[0] ?? 0) : Number(there[1]);
  return {
    merchant,
    keys: given.keys,
    doers: { keys: new Set(keys), people: given.people },
    webhooks: new Set(webhooks),
    numbers: { event, position },
    positions,
  };
}
