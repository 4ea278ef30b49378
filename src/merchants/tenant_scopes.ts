// The tenant scope of a request: the merchant whose records it can access, and the owner of new records.

import { Fault, invalid, missing } from "../core/faults.ts";
import type { Identity } from "../http/auth/identity.ts";
import { isOfViews, mayMerchant, maySuspended, mayViewing } from "../http/auth/merchant_permissions.ts";
import type { Call } from "../http/call.ts";
import type { Route } from "../http/route.ts";
import type { Store, TenantScope } from "../storage/database.ts";
import { merchant_header, type OwnedPath, ownedPaths, unknownMerchant } from "../storage/tenant.ts";
import { type CachedMerchant, directoryOf, type Merchants } from "./directory.sql.ts";
import { isClosed, isSuspended } from "./merchant.transitions.ts";
import { refuseClosed } from "./merchant.ts";

type ScopeRequester = Pick<Identity, "merchant_id" | "store">;

/** The parts of a request that decide whose records it sees. */
interface ScopeRequest {
  readonly request: Request;
  /** After the version. */
  readonly path: string;
  /** Whether it may change something. */
  readonly creates: boolean;
  /** The merchant that its query names; null for none. */
  readonly named: string | null;
}

/** What a request sees of a store. */
interface RequestScope {
  readonly store: Store;
  /** The store once the body has named a merchant, too. Refuses: validation_failed, merchant_closed. */
  readonly scopeOf: (merchant: unknown) => Store;
}

/**
 * The scope of a request. A merchant's key or user sees and creates only the merchant's records. The operator sees all.
 * Its new records belong to the only merchant, or to the one that the request names: in the header
 * `Packhouse-Merchant`, the query (`merchant`), the body (`merchant_id`) or the record of the path.
 * Refuses: malformed_header, validation_failed, merchant_closed.
 */
export async function scopeOfRequest(asker: ScopeRequester, asked: ScopeRequest): Promise<RequestScope> {
  const directory = directoryOf(asker.store);
  const known = directory.fresh() ?? (await directory.now());
  const store = await storeOf(known, asker, asked);
  return { store, scopeOf: (value) => storeOfBody(known, asker, store, value) };
}

/**
 * Refuses a route that a merchant's key or user, or a user who views as the merchant, may not use.
 * Refuses: not_for_merchants (also when the merchant is closed), merchant_suspended, view_only.
 */
export async function refuseRoute(
  { merchant_id, store, type, views_only }: Pick<Identity, "merchant_id" | "store" | "type" | "views_only">,
  route: Pick<Route, "id" | "need" | "writes">,
): Promise<void> {
  const own = merchant_id === null ? null : (await directoryOf(store).now()).byId(merchant_id);
  const { code } = own ?? { code: "it" };
  if (views_only === true && !mayViewing(route)) {
    const message = `You are viewing as ${code}, which is read-only. Exit the view to make changes.`;
    throw new Fault("view_only", message, { merchant: code });
  }
  if (own !== null && isClosed(own.status) && views_only !== true) {
    const message = `The merchant ${code} is closed, so its keys no longer work. Contact the warehouse.`;
    throw new Fault("not_for_merchants", message);
  }
  if (views_only === true && isOfViews(route)) return;
  refuseMerchants(own, route);
  if (type === "user") refuseSuspended(own, route);
}

type JudgedRoute = Parameters<typeof mayMerchant>[0];

/**
 * Refuses an action that merchants, or suspended merchants' users, may not do, when it is part of another request.
 * Refuses: not_for_merchants, merchant_suspended.
 */
export async function refuseForMerchants(
  { merchant_id, store, actor }: Pick<Call, "merchant_id" | "store" | "actor">,
  route: Parameters<typeof maySuspended>[0],
  action: string,
): Promise<void> {
  if (merchant_id === null) return;
  const own = (await directoryOf(store.base).now()).byId(merchant_id);
  refuseMerchants(own, route, action);
  if (actor.type === "user") refuseSuspended(own, route);
}

function refuseSuspended(own: CachedMerchant | null, route: Parameters<typeof maySuspended>[0]): void {
  if (own === null || !isSuspended(own.status) || maySuspended(route)) return;
  const message = `${own.name} is suspended: you can only read data and create orders. Contact the warehouse.`;
  throw new Fault("merchant_suspended", message, { merchant: own.code });
}

function refuseMerchants(own: CachedMerchant | null, route: JudgedRoute, action: string | null = null): void {
  if (mayMerchant(route, own ?? { may_buy_labels: false })) return;
  const what = action === null ? "This" : `The action ${action}`;
  const message = `${what} is only available to the operator. Contact your warehouse.`;
  throw new Fault("not_for_merchants", message, action === null ? {} : { action });
}

function storeOf(
  known: Merchants,
  { merchant_id, store }: ScopeRequester,
  asked: ScopeRequest,
): Store | Promise<Store> {
  const header = asked.request.headers.get(merchant_header);
  if (merchant_id !== null) {
    if (header !== null) refuseOther(known, merchant_id, header, merchant_header);
    if (asked.named !== null) refuseOther(known, merchant_id, asked.named, "merchant");
    return store.scoped(ownScope(merchant_id));
  }
  if (header !== null || asked.named !== null) {
    const merchant = header === null ? null : merchantNamed(known, header, merchant_header);
    const other = asked.named === null ? null : merchantNamed(known, asked.named, "merchant");
    if (merchant !== null && other !== null && merchant !== other) {
      throw invalid("merchant", `names another merchant than the header ${merchant_header}`);
    }
    return store.scoped(scopeOf(known, (merchant ?? other) as CachedMerchant, asked.creates));
  }
  if (known.all.length === 1) return store.scoped(operatorScope(known.only?.id ?? null));
  if (!asked.creates) return store.scoped(operatorScope(null));
  return ownerOfPath(store, asked.path).then((owner) => {
    const whose = owner ?? known.only?.id ?? null;
    return store.scoped(whose === null ? operatorScope(null) : ownScope(whose));
  });
}

function storeOfBody(known: Merchants, { merchant_id }: ScopeRequester, store: Store, value: unknown): Store {
  if (typeof value !== "string" && typeof value !== "number") return store;
  if (merchant_id !== null) {
    refuseOther(known, merchant_id, value, "merchant_id");
    return store;
  }
  const merchant = merchantNamed(known, value, "merchant_id");
  const { visible } = store.scope;
  if (visible !== null && visible !== merchant.id && known.only === null) {
    throw invalid("merchant_id", "names another merchant than the header, the query or the path");
  }
  return store.base.scoped(scopeOf(known, merchant, true));
}

/**
 * The merchant of one item in a bulk request, named as in the body of a single request; null if it names none.
 * Refuses: validation_failed, merchant_closed.
 */
export async function merchantOfPart(
  asker: ScopeRequester,
  value: string | number | undefined,
): Promise<number | null> {
  if (value === undefined) return null;
  const { visible, owner } = storeOfBody(await directoryOf(asker.store).now(), asker, asker.store, value).scope;
  return visible ?? owner;
}

/**
 * The store for a command: in the scope of the named merchant, or of the only one. Without a name, a command that only
 * reads (`creates` is false) sees all merchants.
 * Refuses: resource_missing, merchant_closed, merchant_required.
 */
export async function storeForCommand(store: Store, name: string | undefined, creates: boolean): Promise<Store> {
  const known = await directoryOf(store).now();
  const merchant = name === undefined ? known.only : known.named(name);
  if (merchant !== null && (creates || name !== undefined)) return store.scoped(scopeOf(known, merchant, creates));
  if (name !== undefined) throw missing("merchant", name);
  if (creates) throw new Fault("merchant_required", "There are several merchants. Choose one with --merchant.");
  return store.scoped(operatorScope(null));
}

const ownScope = (id: number): TenantScope => ({ visible: id, owner: id });

const operatorScope = (owner: number | null): TenantScope => ({ visible: null, owner });

/** The operator's scope on behalf of a merchant. Refuses: merchant_closed. */
function scopeOf(known: Merchants, merchant: CachedMerchant, creates: boolean): TenantScope {
  if (creates) refuseClosed(merchant);
  return known.all.length === 1 ? operatorScope(merchant.id) : ownScope(merchant.id);
}

function merchantNamed(known: Merchants, name: string | number, where: string): CachedMerchant {
  const found = known.named(name);
  if (found === null) throw unknownMerchant(where);
  return found;
}

/** A merchant's request may only name its own merchant: all others are unknown to it. */
function refuseOther(known: Merchants, own: number, name: string | number, where: string): void {
  if (known.named(name)?.id !== own) throw unknownMerchant(where);
}

const record_path = new RegExp(`^/(${ownedPaths.join("|")})/([^/]+)`);

/** The owner of the record in a path; null if it has none, or the record is unknown. */
async function ownerOfPath(store: Store, path: string): Promise<number | null> {
  const [, noun, name] = record_path.exec(path) ?? [];
  if (noun === undefined || name === undefined) return null;
  // Loaded on demand, so that a start does not load the tables of records.
  const { findOwner } = require("./record_owners.sql.ts") as typeof import("./record_owners.sql.ts");
  return store.base.read((db) => findOwner(db, noun as OwnedPath, decodeURIComponent(name)));
}
