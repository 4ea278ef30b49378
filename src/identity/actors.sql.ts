// Actors as they are shown to a viewer: a merchant does not see the operator's users and keys.
import { among, list } from "../../db/kit.ts";
import { api_keys } from "../../db/schema/keys.ts";
import { memberships } from "../../db/schema/users.ts";
import type { Actor, ActorType } from "../core/actor.ts";
import { readId, wireId } from "../core/ids.ts";
import type { Call } from "../http/call.ts";
import type { Db } from "../storage/database.ts";
import { prepared, type StatementArgs } from "../storage/statements.ts";

/** The viewer: the operator (null), or a merchant. */
export interface Viewer {
  readonly merchant_id: number | null;
  readonly actor: Pick<Actor, "id">;
}

/** The viewer with the wire ids of the merchant's users, which only the live store knows. */
export interface ViewerWithUsers extends Viewer {
  readonly people: readonly string[];
}

/** The operator, who sees everything. */
export const operatorViewer: ViewerWithUsers = { merchant_id: null, actor: { id: "" }, people: [] };

/** A row with its actor. */
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

/** The wire ids of the users in the scope. Only the live store has users. */
export async function listUserIds(db: Db): Promise<string[]> {
  return (await allPeople(db, {})).map(({ id }) => wireId("user", id));
}

const warehouse = { actor_type: "system", actor_id: "warehouse" } as const;

/**
 * Rows with the actors that the viewer may see. A merchant sees its own keys and users, and the user who views. All
 * others are shown as the warehouse.
 */
export async function withActorsFor<Row extends AttributedRow>(
  db: Db,
  viewer: ViewerWithUsers,
  rows: readonly Row[],
): Promise<Row[]> {
  if (viewer.merchant_id === null) return [...rows];
  const own = new Set([
    viewer.actor.id,
    ...viewer.people,
    ...(await ownOf(db, rows, "api_key", "key", ownKeys)),
    ...(await ownOf(db, rows, "user", "user", ownPeople)),
  ]);
  const isShown = ({ actor_type, actor_id }: Row) =>
    own.has(actor_id) || (actor_type !== "user" && actor_type !== "api_key");
  return rows.map((row) => (isShown(row) ? row : hidden(row)));
}

/** The actor ids to filter a list by. For an actor that the viewer may not see it is one that matches nothing. */
export async function actorsFor(
  db: Db,
  viewer: ViewerWithUsers,
  actor_ids: readonly string[] | undefined,
): Promise<string[] | undefined> {
  if (actor_ids === undefined) return undefined;
  const actors = actor_ids.map((actor_id): AttributedRow => {
    const [is_key, is_user] = [readId("key", actor_id) !== null, readId("user", actor_id) !== null];
    return { actor_type: is_key ? "api_key" : is_user ? "user" : "system", actor_id };
  });
  return (await withActorsFor(db, viewer, actors)).map(({ actor_id }) => actor_id);
}

/** The wire ids of the rows' actors of one type that are in the scope. */
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

/** The viewer of a request. Must be called outside of a transaction, because only the live store has users. */
export async function viewerOf({ merchant_id, actor, store, live }: Call): Promise<ViewerWithUsers> {
  const isKnown = merchant_id === null || store.mode === live.mode;
  const people = isKnown ? [] : await live.scoped({ visible: merchant_id, owner: null }).read(listUserIds);
  return { merchant_id, actor, people };
}
