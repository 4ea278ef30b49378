import { and, asc, eq, isNull, or } from "drizzle-orm";
import { columnsOf } from "../../../db/kit.ts";
import { saved_views } from "../../../db/schema/saved_views.ts";
import { users } from "../../../db/schema/users.ts";
import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { unscoped } from "../../storage/scope.ts";
import type { SaveView } from "./saved_view.schema.ts";

/** A user, at the merchant that the session is for; null for the operator. */
export interface ViewUser {
  readonly user_id: number;
  readonly merchant_id: number | null;
}

type ViewList = SaveView["list"];

const columns = {
  ...columnsOf(saved_views, "id", "list", "user_id", "name", "params", "is_shared", "position", "revision"),
  saved_by: users.name,
};

// Views belong to users, so these queries name the merchant themselves: a null one is the operator's.
const isAt = (merchant_id: number | null) =>
  merchant_id === null ? isNull(saved_views.merchant_id) : eq(saved_views.merchant_id, merchant_id);

const isVisible = ({ user_id, merchant_id }: ViewUser) =>
  and(isAt(merchant_id), or(eq(saved_views.user_id, user_id), eq(saved_views.is_shared, true)));

const isOwn = ({ user_id, merchant_id }: ViewUser, list: ViewList) =>
  and(isAt(merchant_id), eq(saved_views.user_id, user_id), eq(saved_views.list, list));

const selected = (db: Db) =>
  db.scoped(unscoped).sql.select(columns).from(saved_views).innerJoin(users, eq(users.id, saved_views.user_id));

/** The views of a list that a user sees: their own, then those that others share with them. */
export async function listSavedViews(db: Db, user: ViewUser, list: ViewList) {
  const all = await selected(db)
    .where(and(isVisible(user), eq(saved_views.list, list)))
    .orderBy(asc(users.name), asc(users.id), asc(saved_views.position), asc(saved_views.id));
  const own = all.filter(({ user_id }) => user_id === user.user_id);
  return [...own, ...all.filter((view) => !own.includes(view))];
}

/** A stored view and the name of the user who saved it. */
export type SavedView = Awaited<ReturnType<typeof listSavedViews>>[number];

/** A view that a user sees. Refuses: resource_missing. */
export async function getSavedView(db: Db, user: ViewUser, id: string): Promise<SavedView> {
  const [view] = await selected(db).where(and(eq(saved_views.id, readId("view", id) ?? 0), isVisible(user)));
  if (view === undefined) throw missing("view", id);
  return view;
}

/** A user's own views of a list, in their order. */
export async function listOwnViews(db: Db, user: ViewUser, list: ViewList): Promise<SavedView[]> {
  return selected(db).where(isOwn(user, list)).orderBy(asc(saved_views.position), asc(saved_views.id));
}

/** Stores a new view, and returns its id. */
export async function insertSavedView(tx: Tx, user: ViewUser, view: SaveView, position: number): Promise<string> {
  const { list, name, params, shared = false } = view;
  const [row] = await tx
    .scoped(unscoped)
    .sql.insert(saved_views)
    .values({
      ...{ ...user, list, name, params, is_shared: shared, position },
      ...{ revision: 1, created_at: tx.now, updated_at: tx.now },
    })
    .returning({ id: saved_views.id });
  return String(row?.id);
}

/** Stores a changed view with its revision incremented. */
export async function updateSavedView(
  tx: Tx,
  { id, revision }: SavedView,
  change: Partial<Pick<SavedView, "name" | "params" | "is_shared" | "position">>,
): Promise<void> {
  await tx
    .scoped(unscoped)
    .sql.update(saved_views)
    .set({ ...change, revision: revision + 1, updated_at: tx.now })
    .where(eq(saved_views.id, id));
}

/** Deletes a view. */
export async function deleteSavedView(tx: Tx, { id }: SavedView): Promise<void> {
  await tx.scoped(unscoped).sql.delete(saved_views).where(eq(saved_views.id, id));
}
