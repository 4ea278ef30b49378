// Who did something, as it is shown to who asks: a merchant is told nothing of the people and keys of the house.
import { among, list } from "../../../db/kit.ts";
import { api_keys } from "../../../db/schema/keys.ts";
import { memberships } from "../../../db/schema/users.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
import type { Actor, ActorType } from "../../kit/actor.ts";
import { readId, wireId } from "../../kit/ids.ts";

/** Who asks: for the house (null), or for a merchant. */
export interface Asker {
  readonly merchant_id: number | null;
  readonly actor: Pick<Actor, "id">;
}

/** The house, which is shown everything. */
export const ofHouse: Asker = { merchant_id: null, actor: { id: "" } };

/** A row that says who did it. */
interface Done {
  readonly actor_type: ActorType;
  readonly actor_id: string;
  readonly actor_name?: string;
  readonly request_id?: string | null;
}

const ownKeys = prepared((sql, a: Args<{ ids: string }>) =>
  sql.select({ id: api_keys.id }).from(api_keys).where(among(api_keys.id, a.ids)),
);

const ownPeople = prepared((sql, a: Args<{ ids: string }>) =>
  sql.select({ id: memberships.user_id }).from(memberships).where(among(memberships.user_id, a.ids)),
);

const warehouse = { actor_type: "system", actor_id: "warehouse" } as const;

/**
 * Rows as they are shown to who asks. A merchant sees the acts of its own keys and people, and of the user who asks, as
 * they were done; those of all others as done by the warehouse. Who its people are the live world alone knows.
 */
export async function withActorsFor<Row extends Done>(db: Db, asker: Asker, rows: readonly Row[]): Promise<Row[]> {
  if (asker.merchant_id === null) return [...rows];
  const own = new Set([
    asker.actor.id,
    ...(await ownOf(db, rows, "api_key", "key", ownKeys)),
    ...(await ownOf(db, rows, "user", "user", ownPeople)),
  ]);
  const isShown = ({ actor_type, actor_id }: Row) =>
    own.has(actor_id) || (actor_type !== "user" && actor_type !== "api_key");
  return rows.map((row) => (isShown(row) ? row : hidden(row)));
}

/** Those who did something by keys, or as users, whom the scope sees. */
async function ownOf(
  db: Db,
  rows: readonly Done[],
  type: ActorType,
  noun: "key" | "user",
  seen: typeof ownKeys,
): Promise<string[]> {
  const ids = rows.flatMap(({ actor_type, actor_id }) => (actor_type === type ? (readId(noun, actor_id) ?? []) : []));
  if (ids.length === 0) return [];
  return (await seen(db, { ids: list([...new Set(ids)]) })).map(({ id }) => wireId(noun, id));
}

function hidden<Row extends Done>(row: Row): Row {
  return {
    ...row,
    ...warehouse,
    ...("actor_name" in row && { actor_name: "The warehouse" }),
    ...("request_id" in row && { request_id: null }),
  };
}
