// Views of lists that users save: changed by the user who saved them. Users who manage users may also change shared
// ones, so that those of people who have left are not stuck.
import { Fault, invalid } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import type { Call } from "../../http/call.ts";
import type { Tx } from "../../storage/database.ts";
import { takeTurn } from "../../storage/leases.ts";
import { type ChangeView, type SavedViewView, type SaveView, views_max } from "./saved_view.schema.ts";
import {
  countOwnViews,
  deleteSavedView,
  findOwnView,
  getSavedView,
  insertSavedView,
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
  const [user, { list, name, params, shared }] = [userOf(caller), view];
  await takeTurn(tx, "views.change");
  const before = await findOwnView(tx, user, list, name);
  if (before === null) {
    if ((await countOwnViews(tx, user, list)) >= views_max) {
      throw invalid("name", `would be view ${views_max + 1} of this list; remove one first`);
    }
    return getSavedView(tx, user, await insertSavedView(tx, user, view));
  }
  await updateSavedView(tx, before, { params, ...(shared !== undefined && { is_shared: shared }) });
  return getSavedView(tx, user, wireId("view", before.id));
}

/** Changes a view. Refuses: resource_missing, insufficient_permission, validation_failed. */
export async function changeView(tx: Tx, caller: ViewCaller, id: string, change: ChangeView): Promise<SavedView> {
  const { name, params, shared, position } = change;
  const view = await lockView(tx, caller, id);
  if (name !== undefined && name !== view.name) {
    const owner = { user_id: view.user_id, merchant_id: caller.merchant_id };
    if ((await findOwnView(tx, owner, view.list, name)) !== null) throw invalid("name", `is another view's: ${name}`);
  }
  await updateSavedView(tx, view, {
    ...(name !== undefined && { name }),
    ...(params !== undefined && { params }),
    ...(shared !== undefined && { is_shared: shared }),
    ...(position !== undefined && { position }),
  });
  // A view that is no longer shared is shown once more to the person who changed it.
  return { ...view, ...change, is_shared: shared ?? view.is_shared, revision: view.revision + 1 };
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
