// Whose records a request sees and makes: those of the merchant who asks, or of the one whom the house names.
import { mayMerchant } from "../access/for_merchants.ts";
import type { Scope, Store } from "../database/store.ts";
import type { Identity } from "../http/guard/authentication.ts";
import type { Asked, Scopes } from "../http/guard/scopes.ts";
import { Fault, type FaultFacts, invalidFields } from "../kit/fault.ts";
import { readId } from "../kit/ids.ts";
import { directoryOf, type Known } from "./directory.ts";
import { findOwner, ownedPaths } from "./owners/store.ts";
import { isClosed } from "./status.ts";

type Asker = Pick<Identity, "merchant_id" | "store">;

const header_name = "packhouse-merchant";
const in_header = "Packhouse-Merchant";

/**
 * Decides the scope of requests. A merchant's key or user sees and makes the merchant's own alone. The house sees all;
 * what it makes belongs to the only merchant there is, or to the one whom the request names: by the header
 * `Packhouse-Merchant`, by `merchant` in the query, by `merchant_id` in the body, or by the record that its path is about.
 */
export const scopes: Scopes = {
  mayUse({ merchant_id, store }, route) {
    if (merchant_id === null) return true;
    const own = directoryOf(store)
      .now()
      ?.find(({ id }) => id === merchant_id);
    return mayMerchant(route, own ?? { may_buy_labels: false });
  },
  of(asker, asked) {
    const directory = directoryOf(asker.store);
    const all = directory.now();
    return all === null ? directory.read().then((read) => storeOf(read, asker, asked)) : storeOf(all, asker, asked);
  },
  named(asker, store, value) {
    const directory = directoryOf(asker.store);
    const narrow = (all: readonly Known[]) => storeOfBody(all, asker, store, value);
    const all = directory.now();
    return all === null ? directory.read().then(narrow) : narrow(all);
  },
};

function storeOf(all: readonly Known[], asker: Asker, asked: Asked): Store | Promise<Store> {
  const { merchant_id, store } = asker;
  const header = asked.request.headers.get(header_name);
  if (merchant_id !== null) {
    if (header !== null) refuseOther(all, merchant_id, header, in_header);
    if (asked.named !== null) refuseOther(all, merchant_id, asked.named, "merchant");
    return store.scoped(ownScope(merchant_id));
  }
  const open = all.filter(({ status }) => !isClosed(status));
  const [first] = open;
  const only = open.length === 1 && first !== undefined ? first : null;
  const name = header ?? asked.named;
  if (header !== null && asked.named !== null && header !== asked.named) {
    throw unknown("merchant", "names another merchant than the header Packhouse-Merchant");
  }
  if (name !== null) {
    const merchant = merchantNamed(all, name, header === null ? "merchant" : in_header);
    if (asked.makes && isClosed(merchant.status)) throw closed(merchant);
    return store.scoped(all.length === 1 ? houseScope(merchant.id) : ownScope(merchant.id));
  }
  if (only !== null && all.length === 1) return store.scoped(houseScope(only.id));
  if (!asked.makes) return store.scoped(houseScope(only?.id ?? null));
  return ownerOfPath(store, asked.path).then((owner) =>
    store.scoped(owner === null ? houseScope(only?.id ?? null) : ownScope(owner)),
  );
}

function storeOfBody(all: readonly Known[], { merchant_id }: Asker, store: Store, value: unknown): Store {
  if (typeof value !== "string" && typeof value !== "number") return store;
  if (merchant_id !== null) {
    refuseOther(all, merchant_id, value, "merchant_id");
    return store;
  }
  const merchant = merchantNamed(all, value, "merchant_id");
  const { sees } = store.scope;
  if (sees !== null && sees !== merchant.id) {
    throw unknown("merchant_id", "names another merchant than the header, the query or the path");
  }
  if (isClosed(merchant.status)) throw closed(merchant);
  return store.base.scoped(all.length === 1 ? houseScope(merchant.id) : ownScope(merchant.id));
}

const ownScope = (id: number): Scope => ({ sees: id, makes: id });

const houseScope = (makes: number | null): Scope => ({ sees: null, makes });

/** The merchant of a code or an id. Refuses: validation_failed, malformed_header. */
function merchantNamed(all: readonly Known[], name: string | number, where: string): Known {
  const id = readId("merchant", name);
  const found = all.find((merchant) => merchant.code === name || merchant.id === id);
  if (found === undefined) throw unknown(where, "names no merchant");
  return found;
}

/** A merchant's request may name its own merchant and no other: another one is as unknown to it as none. */
function refuseOther(all: readonly Known[], own: number, name: string | number, where: string): void {
  const id = readId("merchant", name);
  if (id === own || all.some((merchant) => merchant.id === own && merchant.code === name)) return;
  throw unknown(where, "names no merchant");
}

function unknown(where: string, message: string): Fault {
  if (where === in_header) return new Fault("malformed_header", `${in_header} ${message}: send its code or mer_….`);
  const facts = { field: where, code: "unknown_merchant", message: `${message}: send its code or mer_…` };
  return invalidFields([facts]);
}

function closed({ code }: Known): Fault {
  const facts: FaultFacts = { merchant: code };
  return new Fault("merchant_closed", `The merchant ${code} is closed: nothing new can be made for it.`, facts);
}

/** The owner of the record that a path is about; null when it is about none, or the record is unknown. */
async function ownerOfPath(store: Store, path: string): Promise<number | null> {
  const [, noun, name] = record_path.exec(path) ?? [];
  if (noun === undefined || name === undefined) return null;
  return store.base.read((db) => findOwner(db, noun, decodeURIComponent(name)));
}

const record_path = new RegExp(`^/(${ownedPaths.join("|")})/([^/]+)`);
