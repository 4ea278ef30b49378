// Whose records a request sees and makes: those of the merchant who asks, or of the one whom the house names.
import { mayMerchant } from "../access/for_merchants.ts";
import type { Scope, Store } from "../database/store.ts";
import type { Identity } from "../http/guard/authentication.ts";
import type { Asked, Scopes } from "../http/guard/scopes.ts";
import { Fault, invalid, missing } from "../kit/fault.ts";
import { findOwner, ownedPaths } from "../owners/store.ts";
import { directoryOf, type Known, type Merchants } from "./directory.ts";
import { refuseClosed } from "./rules.ts";
import { isClosed } from "./status.ts";

type Asker = Pick<Identity, "merchant_id" | "store">;

const in_header = "Packhouse-Merchant";

/**
 * Decides the scope of requests. A merchant's key or user sees and makes the merchant's own alone. The house sees all;
 * what it makes belongs to the only merchant there is, or to the one whom the request names: by the header
 * `Packhouse-Merchant`, by `merchant` in the query, by `merchant_id` in the body, or by the record of its path.
 */
export const scopes: Scopes = {
  async mayUse({ merchant_id, store }, route) {
    if (merchant_id === null) return true;
    const own = (await directoryOf(store).now()).byId(merchant_id);
    if (own !== null && isClosed(own.status)) {
      throw new Fault(
        "not_for_merchants",
        `The merchant ${own.code} is closed, and its keys with it: ask the warehouse.`,
      );
    }
    return mayMerchant(route, own ?? { may_buy_labels: false });
  },
  async of(asker, asked) {
    const directory = directoryOf(asker.store);
    const known = directory.fresh() ?? (await directory.now());
    const store = await storeOf(known, asker, asked);
    return { store, scopeOf: (value) => storeOfBody(known, asker, store, value) };
  },
};

function storeOf(known: Merchants, { merchant_id, store }: Asker, asked: Asked): Store | Promise<Store> {
  const header = asked.request.headers.get(in_header);
  if (merchant_id !== null) {
    if (header !== null) refuseOther(known, merchant_id, header, in_header);
    if (asked.named !== null) refuseOther(known, merchant_id, asked.named, "merchant");
    return store.scoped(ownScope(merchant_id));
  }
  if (header !== null || asked.named !== null) {
    const merchant = header === null ? null : merchantNamed(known, header, in_header);
    const other = asked.named === null ? null : merchantNamed(known, asked.named, "merchant");
    if (merchant !== null && other !== null && merchant !== other) {
      throw invalid("merchant", `names another merchant than the header ${in_header}`);
    }
    return store.scoped(scopeOf(known, (merchant ?? other) as Known, asked.makes));
  }
  if (known.all.length === 1) return store.scoped(houseScope(known.only?.id ?? null));
  if (!asked.makes) return store.scoped(houseScope(null));
  return ownerOfPath(store, asked.path).then((owner) => {
    const whose = owner ?? known.only?.id ?? null;
    return store.scoped(whose === null ? houseScope(null) : ownScope(whose));
  });
}

function storeOfBody(known: Merchants, { merchant_id }: Asker, store: Store, value: unknown): Store {
  if (typeof value !== "string" && typeof value !== "number") return store;
  if (merchant_id !== null) {
    refuseOther(known, merchant_id, value, "merchant_id");
    return store;
  }
  const merchant = merchantNamed(known, value, "merchant_id");
  const { sees } = store.scope;
  if (sees !== null && sees !== merchant.id && known.only === null) {
    throw invalid("merchant_id", "names another merchant than the header, the query or the path");
  }
  return store.base.scoped(scopeOf(known, merchant, true));
}

/**
 * A store as a command works on it: on behalf of the merchant that is named, or of the only one there is; what only
 * reads (`makes` is false) sees those of all unless one is named.
 * Refuses: resource_missing, merchant_closed, merchant_required.
 */
export async function storeForCommand(store: Store, name: string | undefined, makes: boolean): Promise<Store> {
  const known = await directoryOf(store).now();
  const merchant = name === undefined ? known.only : known.named(name);
  if (merchant !== null && (makes || name !== undefined)) return store.scoped(scopeOf(known, merchant, makes));
  if (name !== undefined) throw missing("merchant", name);
  if (makes) throw new Fault("merchant_required", "There are several merchants: name one by --merchant.");
  return store.scoped(houseScope(null));
}

const ownScope = (id: number): Scope => ({ sees: id, makes: id });

const houseScope = (makes: number | null): Scope => ({ sees: null, makes });

/** The scope of the house on behalf of a merchant. Refuses: merchant_closed. */
function scopeOf(known: Merchants, merchant: Known, makes: boolean): Scope {
  if (makes) refuseClosed(merchant);
  return known.all.length === 1 ? houseScope(merchant.id) : ownScope(merchant.id);
}

function merchantNamed(known: Merchants, name: string | number, where: string): Known {
  const found = known.named(name);
  if (found === null) throw unknown(where);
  return found;
}

/** A merchant's request may name its own merchant and no other: another one is as unknown to it as none. */
function refuseOther(known: Merchants, own: number, name: string | number, where: string): void {
  if (known.named(name)?.id !== own) throw unknown(where);
}

function unknown(where: string): Fault {
  const message = "names no merchant: send its code or its id, mer_…";
  return where === in_header
    ? new Fault("malformed_header", `${where} ${message}.`)
    : invalid(where, message, "unknown");
}

const record_path = new RegExp(`^/(${ownedPaths.join("|")})/([^/]+)`);

/** The owner of the record that a path is about; null when it is about none, or the record is unknown. */
async function ownerOfPath(store: Store, path: string): Promise<number | null> {
  const [, noun, name] = record_path.exec(path) ?? [];
  if (noun === undefined || name === undefined) return null;
  return store.base.read((db) => findOwner(db, noun, decodeURIComponent(name)));
}
