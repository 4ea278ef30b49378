// Views of lists that users save: changed by the user who saved them. Users who manage users may also change shared
// ones, so that those of people who have left are not stuck.
import { Fault, invalid } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import type { Call } from "../../http/call.ts";
import type { Tx } from "../../storage/database.ts";
import { takeTurn } from "../../storage/leases.ts";
import { type ChangeView, type SavedViewView, type SaveView, views_max } from "./saved_view.schema.ts";
import {
  deleteSavedView,
  getSavedView,
  insertSavedView,
  listOwnViews,
  type SavedView,
  updateSavedView,
  type ViewUser,
} from "./saved_views.sql.ts";

/** The user of a session, and what they may do. */
interface ViewCaller extends ViewUser {
  readonly manages_users: boolean;
}

/** The user of a request. */
export function viewCallerOf({ actor, merchant_id, granted }: Call): ViewCaller {
  return {
    user_id: readId("user", actor.id) ?? 0,
    merchant_id,
    manages_users: granted.permissions.has("users.manage"),
  };
}

const isEditable = ({ user_id, is_shared }: SavedView, caller: ViewCaller) =>
  user_id === caller.user_id || (is_shared && caller.manages_users);

/** A view as its users see it. */
export function savedViewView(view: SavedView, caller: ViewCaller): SavedViewView {
  const { id, list, name, params, is_shared: shared, saved_by, position, revision } = view;
  const own = view.user_id === caller.user_id;
  const editable = isEditable(view, caller);
  return { id: wireId("view", id), list, name, params, shared, own, editable, saved_by, position, revision };
}

const userOf = ({ user_id, merchant_id }: ViewCaller): ViewUser => ({ user_id, merchant_id });

/**
 * Saves a view. One of the same name that the user has is replaced, so that a repeated request has one effect.
 * Refuses: validation_failed.
 */
export async function saveView(tx: Tx, caller: ViewCaller, view: SaveView): Promise<SavedView> {
  const [user, { list, name, params, shared, position }] = [userOf(caller), view];
  await takeTurn(tx, "views.change");
  const own = await listOwnViews(tx, user, list);
  const before = own.find((one) => one.name === name);
  if (before === undefined) {
    if (own.length >= views_max) {
      throw invalid("name", `would be view ${views_max + 1} of this list; remove one first`);
    }
    const place = await makeRoom(tx, own, position ?? views_max);
    return getSavedView(tx, user, await insertSavedView(tx, user, view, place));
  }
  await updateSavedView(tx, before, {
    params,
    ...(shared !== undefined && { is_shared: shared }),
    ...(position !== undefined && { position: await makeRoom(tx, without(own, before), position) }),
  });
  return getSavedView(tx, user, wireId("view", before.id));
}

const without = (views: readonly SavedView[], { id }: SavedView) => views.filter((view) => view.id !== id);

/** Numbers a user's other views so that one fits in at a position, and returns that: at most the one after the last. */
async function makeRoom(tx: Tx, others: readonly SavedView[], position: number): Promise<number> {
  const place = Math.min(position, others.length + 1);
  for (const [at, other] of others.entries()) {
    const next = at + 1 < place ? at + 1 : at + 2;
    if (other.position !== next) await updateSavedView(tx, other, { position: next });
  }
  return place;
}

/** Changes a view. Refuses: resource_missing, insufficient_permission, validation_failed. */
export async function changeView(tx: Tx, caller: ViewCaller, id: string, change: ChangeView): Promise<SavedView> {
  const { name, params, shared, position } = change;
  const view = await lockView(tx, caller, id);
  const owner = { user_id: view.user_id, merchant_id: caller.merchant_id };
  const others = without(await listOwnViews(tx, owner, view.list), view);
  if (others.some((other) => other.name === name)) throw invalid("name", `is another view's: ${name}`);
  const changed = {
    name: name ?? view.name,
    params: params ?? view.params,
    is_shared: shared ?? view.is_shared,
    position: position === undefined ? view.position : await makeRoom(tx, others, position),
  };
  await updateSavedView(tx, view, changed);
  // A view that is no longer shared is shown once more to the person who changed it.
  return { ...view, ...changed, revision: view.revision + 1 };
}

/** Deletes a view and returns it. Refuses: resource_missing, insufficient_permission. */
export async function removeView(tx: Tx, caller: ViewCaller, id: string): Promise<SavedView> {
  const view = await lockView(tx, caller, id);
  await deleteSavedView(tx, view);
  return view;
}

/** A view that the caller may change, locked. Refuses: resource_missing, insufficient_permission. */
export async function lockView(tx: Tx, caller: ViewCaller, id: string): Promise<SavedView> {
  await takeTurn(tx, "views.change");
  const view = await getSavedView(tx, userOf(caller), id);
  if (isEditable(view, caller)) return view;
  throw new Fault("insufficient_permission", `Only ${view.saved_by} can change the view ${view.name}.`);
}
