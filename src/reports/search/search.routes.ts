import { isoOrNull } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { mayMerchant } from "../../http/auth/merchant_permissions.ts";
import type { Permission } from "../../http/auth/permissions.ts";
import type { Call } from "../../http/call.ts";
import { read, routes } from "../../http/routes.ts";
import type { Db } from "../../storage/database.ts";
import { findCustomerHits } from "./customer_hits.sql.ts";
import { findLabelHits, findOrderHits, findParcelHits, findReturnHits } from "./order_hits.sql.ts";
import { FoundView, most_default, most_in_all, SearchAll } from "./search.schema.ts";
import { chosenHits, type Hit, type HitType, hitTypes, readTyped, type SearchText } from "./search_hit.ts";
import {
  findBinHits,
  findCountHits,
  findLotHits,
  findProductHits,
  findReceiptHits,
  findTransferHits,
} from "./stock_hits.sql.ts";

/** The search for records of one type, and the permission that it needs. */
interface SearchSource {
  readonly needs: Permission;
  /** The operation that lists such records, if merchants may not call it despite the permission. */
  readonly list?: string;
  readonly find: (db: Db, typed: SearchText, limit: number, q: string) => Promise<Hit[]>;
}

const sources: Readonly<Record<HitType, SearchSource>> = {
  order: { needs: "orders.read", find: (db, typed, limit, q) => findOrderHits(db, typed, q, limit) },
  parcel: { needs: "orders.read", find: findParcelHits },
  label: { needs: "shipping.read", find: findLabelHits },
  return: { needs: "returns.read", find: (db, typed, limit, q) => findReturnHits(db, typed, q, limit) },
  product: { needs: "catalog.read", find: findProductHits },
  lot: { needs: "stock.read", find: findLotHits },
  bin: { needs: "stock.read", list: "listBins", find: findBinHits },
  customer: { needs: "customers.read", find: findCustomerHits },
  receipt: { needs: "stock.read", find: findReceiptHits },
  transfer: { needs: "stock.read", find: findTransferHits },
  count: { needs: "stock.read", list: "listCounts", find: findCountHits },
};

/** One search across all types of records. */
export const searchRoutes = routes("Search", [
  read("/search", "any", {
    id: "searchAll",
    summary: "Search all records",
    description:
      "Finds records by what people type or scan: ids, numbers, SKUs, barcodes (GTINs with or without leading zeros," +
      " SSCCs with or without `00`), names, email addresses and phone numbers. Exact matches come first, then" +
      " beginnings, then parts; parts are found in the newest 5,000 products and 1,000 receipts, transfers and" +
      " counts. Callers find only the types that they may see.",
    query: SearchAll,
    view: FoundView,
    data: (db, { call, query }) => hitsFor(db, call, query),
  }),
]);

/** The results of a search, limited to what the caller may see. `merchant_id` is null for the operator. */
export async function hitsFor(
  db: Db,
  asker: Pick<Call, "granted" | "merchant_id">,
  { q, types, limit = most_default }: SearchAll,
) {
  const typed = readTyped(q);
  if (typed === null) return { results: [], more: [] };
  const asked = types?.split(",");
  const seen = hitTypes.filter((type) => asked?.includes(type) !== false && maySee(asker, sources[type]));
  const found = new Map<HitType, Hit[]>();
  for (const type of seen) found.set(type, await sources[type].find(db, typed, limit + 1, q));
  const { hits, more } = chosenHits(found, limit, most_in_all);
  return { results: hits.map(hitView), more };
}

function maySee(
  { granted, merchant_id }: Pick<Call, "granted" | "merchant_id">,
  { needs, list }: SearchSource,
): boolean {
  const isHidden = merchant_id !== null && list !== undefined && !mayMerchant({ id: list, need: needs }, no_labels);
  return granted.permissions.has(needs) && !isHidden;
}

/** None of these lists depends on whether a merchant may buy labels. */
const no_labels = { may_buy_labels: false };

function hitView({ type, fit, id, title, subtitle, state, at, parent, merchant_id: owner }: Hit) {
  const merchant_id = owner === null ? null : wireId("merchant", owner);
  return { type, match: fit, id, title, subtitle, state, at: isoOrNull(at), parent, merchant_id };
}
