// Who did something, as it is shown to who asks: a merchant is told nothing of the people and keys of the house.
import { among, list } from "../../db/kit.ts";
import { api_keys } from "../../db/schema/keys.ts";
import { memberships } from "../../db/schema/users.ts";
import type { Actor, ActorType } from "../core/actor.ts";
import { readId, wireId } from "../core/ids.ts";
import type { Call } from "../http/call.ts";
import type { Db } from "../storage/database.ts";
import { prepared, type StatementArgs } from "../storage/statements.ts";

/** Who asks: for the house (null), or for a merchant. */
export interface Viewer {
  readonly merchant_id: number | null;
  readonly actor: Pick<Actor, "id">;
}

/** Who asks, with the people of the merchant, by their wire ids, where the store of the request does not know them. */
export interface ViewerWithUsers extends Viewer {
  readonly people: readonly string[];
}

/** The house, which is shown everything. */
export const operatorViewer: ViewerWithUsers = { merchant_id: null, actor: { id: "" }, people: [] };

/** A row that says who did it. */
interface AttributedRow {
  readonly actor_type: ActorType;
  readonly actor_id: string;
  readonly actor_name?: string;
  readonly request_id?: string | null;
}

const ownKeys = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql.select({ id: api_keys.id }).from(api_keys).where(among(api_keys.id, a.ids)),
);

const ownPeople = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql.select({ id: memberships.user_id }).from(memberships).where(among(memberships.user_id, a.ids)),
);

const allPeople = prepared((sql, _: StatementArgs<Record<never, never>>) =>
  sql.selectDistinct({ id: memberships.user_id }).from(memberships),
);

/** The people whom the scope sees, by their wire ids. The live world alone knows any. */
export async function listUserIds(db: Db): Promise<string[]> {
  return (await allPeople(db, {})).map(({ id }) => wireId("user", id));
}

const warehouse = { actor_type: "system", actor_id: "warehouse" } as const;

/**
 * Rows as they are shown to who asks. A merchant sees the acts of its own keys and people, and of the user who asks, as
 * they were done; those of all others as done by the warehouse.
 */
export async function withActorsFor<Row extends AttributedRow>(
  db: Db,
  asker: ViewerWithUsers,
  rows: readonly Row[],
): Promise<Row[]> {
  if (asker.merchant_id === null) return [...rows];
  const own = new Set([
    asker.actor.id,
    ...asker.people,
    ...(await ownOf(db, rows, "api_key", "key", ownKeys)),
    ...(await ownOf(db, rows, "user", "user", ownPeople)),
  ]);
  const isShown = ({ actor_type, actor_id }: Row) =>
    own.has(actor_id) || (actor_type !== "user" && actor_type !== "api_key");
  return rows.map((row) => (isShown(row) ? row : hidden(row)));
}

/** By whom a list is narrowed for who asks for this actor: one whom a merchant is not shown did nothing there. */
export async function actorFor(
  db: Db,
  asker: ViewerWithUsers,
  actor_id: string | undefined,
): Promise<string | undefined> {
  if (actor_id === undefined) return undefined;
  const actor_type =
    readId("key", actor_id) !== null ? "api_key" : readId("user", actor_id) !== null ? "user" : "system";
  const [shown] = await withActorsFor(db, asker, [{ actor_type, actor_id }]);
  return shown?.actor_id;
}

/** Those who did something by keys, or as users, whom the scope sees. */
async function ownOf(
  db: Db,
  rows: readonly AttributedRow[],
  type: ActorType,
  noun: "key" | "user",
  seen: typeof ownKeys,
): Promise<string[]> {
  const ids = rows.flatMap(({ actor_type, actor_id }) => (actor_type === type ? (readId(noun, actor_id) ?? []) : []));
  if (ids.length === 0) return [];
  return (await seen(db, { ids: list([...new Set(ids)]) })).map(({ id }) => wireId(noun, id));
}

function hidden<Row extends AttributedRow>(row: Row): Row {
  return {
    ...row,
    ...warehouse,
    ...("actor_name" in row && { actor_name: "The warehouse" }),
    ...("request_id" in row && { request_id: null }),
  };
}

/**
 * Who asks, as far as it counts for what is told of who did something. It is found between transactions: the live
 * world alone knows people.
 */
export async function viewerOf({ merchant_id, actor, store, live }: Call): Promise<ViewerWithUsers> {
  const isKnown = merchant_id === null || store.mode === live.mode;
  const people = isKnown ? [] : await live.scoped({ sees: merchant_id, makes: null }).read(listUserIds);
  return { merchant_id, actor, people };
}
