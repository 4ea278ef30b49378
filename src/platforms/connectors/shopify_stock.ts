// Reads and sets stock at Shopify. A listing is an inventory item, and its number is `available` at one location.

import { hmacHex } from "../../core/crypto.ts";
import { fieldsIn, fieldsOrNone, type JsonFields, readText } from "../../outbound/api.ts";
import { inBatches, parseReply, platformError, withoutSecrets } from "./call_platform.ts";
import type {
  PlatformAccess,
  PlatformListing,
  PlatformListingPage,
  PlatformLocation,
  PlatformStock,
  StockChange,
  StockResult,
} from "./connector.ts";
import { readExternalId, readSku, readStock } from "./platform_fields.ts";
import {
  graphql,
  listings_query,
  locations_query,
  pages,
  set_stock_mutation,
  stock_at_mutation,
  stock_query,
  withoutType,
} from "./shopify_api.ts";
import { byLocation, type StockResults } from "./stock_results.ts";

/** Shopify limits the cost of a query. So many items cost less than the limit. */
const batch_max = 100;

export const stock: PlatformStock = { batch_max, locations, listings, quantities, set };

const itemGid = (external_id: string) => `gid://shopify/InventoryItem/${external_id}`;
const locationGid = (location_id: string) => `gid://shopify/Location/${location_id}`;
const readId = (value: unknown, field: string) => readExternalId(withoutType(value), field);

async function locations(access: PlatformAccess): Promise<PlatformLocation[]> {
  const nodes = await pages(
    (after) => graphql(access, locations_query, { after }),
    (data) => data["locations"],
  );
  return parseReply(() =>
    nodes.map(({ id, name, isActive }) => {
      const external_id = readId(id, "id");
      return { external_id, name: readText(name, 200) ?? external_id, is_active: isActive === true };
    }),
  );
}

async function listings(access: PlatformAccess, { cursor, location_id }: PlatformListingPage) {
  const located = location_id !== null;
  const location = locationGid(location_id ?? "0");
  const data = await graphql(access, listings_query, { after: cursor, location, located });
  const { nodes, pageInfo } = fieldsOrNone(data["productVariants"]);
  const { hasNextPage, endCursor } = fieldsOrNone(pageInfo);
  return {
    listings: parseReply(() => fieldsIn(nodes).map(listingOf)),
    next: hasNextPage === true && typeof endCursor === "string" ? endCursor : null,
  };
}

function listingOf(variant: JsonFields): PlatformListing {
  const item = fieldsOrNone(variant["inventoryItem"]);
  const variant_id = readId(variant["id"], "id");
  const untracked = item["tracked"] === true ? null : "untracked";
  return {
    external_id: readId(item["id"], "inventoryItem.id"),
    variant_ids: [variant_id],
    sku: readSku(variant["sku"]),
    barcode: readText(variant["barcode"], 100),
    name: readText(variant["displayName"], 200) ?? `Product ${variant_id}`,
    unsettable: variant["requiresComponents"] === true ? "bundle" : untracked,
    quantity: numberAt(item),
  };
}

/** The number of an item at the location of the query; null if it is not stocked there. */
function numberAt({ inventoryLevel }: JsonFields): number | null {
  const { isActive, quantities: counted } = fieldsOrNone(inventoryLevel);
  return isActive === true ? readStock(fieldsIn(counted)[0]?.["quantity"]) : null;
}

async function quantities(access: PlatformAccess, external_ids: readonly string[], location_id: string | null) {
  const location = locationGid(requireLocation(location_id));
  const found = new Map<string, number>();
  for (const ids of inBatches(external_ids, batch_max)) {
    const { nodes } = await graphql(access, stock_query, { ids: ids.map(itemGid), location });
    for (const item of fieldsIn(nodes)) {
      if (item["tracked"] === true) found.set(String(withoutType(item["id"])), numberAt(item) ?? 0);
    }
  }
  return found;
}

function requireLocation(location_id: string | null): string {
  if (location_id !== null) return location_id;
  throw platformError("Shopify counts stock by location. Choose the location of the connection.", { permanent: true });
}

async function set(access: PlatformAccess, changes: readonly StockChange[]): Promise<readonly StockResult[]> {
  return await byLocation(changes, (location_id, own) =>
    setAt(access, { location_id: requireLocation(location_id), may_stock: true }, own),
  );
}

/** A location, and whether items that are not stocked there are stocked first. */
interface Target {
  readonly location_id: string;
  readonly may_stock: boolean;
}

/**
 * Sets quantities at one location. Shopify sets all of them or none. The items that it names as the reason get their
 * result, and the others are set without them; if it names none, each half is set by itself.
 */
async function setAt(access: PlatformAccess, target: Target, changes: readonly StockChange[]): Promise<StockResults> {
  if (changes.length === 0) return new Map();
  const location = locationGid(target.location_id);
  const input = {
    name: "available",
    reason: "correction",
    quantities: changes.map(({ external_id, quantity, expected }) => ({
      inventoryItemId: itemGid(external_id),
      locationId: location,
      quantity,
      changeFromQuantity: expected,
    })),
  };
  const data = await graphql(access, set_stock_mutation, { input, location, key: keyOf(input, changes) });
  const { inventoryAdjustmentGroup, userErrors } = fieldsOrNone(data["inventorySetQuantities"]);
  const errors = fieldsIn(userErrors);
  if (errors.length === 0) {
    const items = fieldsIn(fieldsOrNone(inventoryAdjustmentGroup)["changes"]).map(({ item }) => fieldsOrNone(item));
    return await readBack(access, target, changes, items);
  }
  const named = new Map(errors.flatMap((error) => changeIn(error, changes)));
  if (named.size === 0 && changes.length > 1) {
    const middle = changes.length >> 1;
    const first = await setAt(access, target, changes.slice(0, middle));
    return new Map([...first, ...(await setAt(access, target, changes.slice(middle)))]);
  }
  const [only] = changes;
  if (named.size === 0 && only !== undefined) named.set(only, errors[0] ?? {});
  const results = await explain(access, target, named);
  const others = changes.filter((change) => !named.has(change));
  return new Map([...results, ...(await setAt(access, target, others))]);
}

/** A key for a request: the same for a retry of the same changes, another for anything else. */
function keyOf(request: object, changes: readonly StockChange[]): string {
  return hmacHex("stock", JSON.stringify([request, changes.map(({ key }) => key)]));
}

/** The change that an error's path names, such as `input.quantities.3.inventoryItemId`. */
function changeIn(error: JsonFields, changes: readonly StockChange[]): [StockChange, JsonFields][] {
  const path = Array.isArray(error["field"]) ? error["field"].map(String) : [];
  const index = path.find((part) => /^\d{1,4}$/.test(part));
  const change = index === undefined ? undefined : changes[Number(index)];
  return change === undefined ? [] : [[change, error]];
}

/** The results of the changes that Shopify refuses. */
async function explain(
  access: PlatformAccess,
  target: Target,
  named: ReadonlyMap<StockChange, JsonFields>,
): Promise<StockResults> {
  const results: StockResults = new Map();
  const stale = [...named].flatMap(([change, { code }]) => (code === "CHANGE_FROM_QUANTITY_STALE" ? change : []));
  const ids = stale.map(({ external_id }) => external_id);
  const found = ids.length === 0 ? new Map<string, number>() : await quantities(access, ids, target.location_id);
  for (const [change, error] of named) {
    const { external_id } = change;
    const quantity = stale.includes(change) ? found.get(external_id) : undefined;
    const is_unstocked = error["code"] === "ITEM_NOT_STOCKED_AT_LOCATION" && target.may_stock;
    if (quantity !== undefined) results.set(change, { external_id, outcome: "stale", quantity });
    else results.set(change, is_unstocked ? await stockAt(access, target, change) : refusalOf(access, change, error));
  }
  return results;
}

/** Codes of errors that a retry may end. */
const temporary_codes: readonly unknown[] = ["IDEMPOTENCY_CONCURRENT_REQUEST", "INTERNAL_ERROR"];

function refusalOf(access: PlatformAccess, { external_id }: StockChange, error: JsonFields): StockResult {
  const code = readText(error["code"], 100) ?? "refused";
  const message = withoutSecrets(readText(error["message"], 200) ?? "Shopify refused the quantity.", access);
  return { external_id, outcome: "refused", code, message, permanent: !temporary_codes.includes(error["code"]) };
}

/** The results of a success. Shopify may report one for an item that is not stocked at the location, without effect. */
async function readBack(
  access: PlatformAccess,
  target: Target,
  changes: readonly StockChange[],
  items: readonly JsonFields[],
): Promise<StockResults> {
  const numbers = new Map(items.map((item) => [withoutType(item["id"]), numberAt(item)]));
  const results: StockResults = new Map();
  for (const change of changes) {
    const { external_id, quantity, expected } = change;
    // An item that had the number already is not among those that changed.
    const now = numbers.get(external_id) ?? (quantity === expected ? quantity : null);
    if (now !== null) results.set(change, { external_id, outcome: "set", quantity: now });
    else if (target.may_stock) results.set(change, await stockAt(access, target, change));
    else results.set(change, refusalOf(access, change, { code: "ITEM_NOT_STOCKED_AT_LOCATION" }));
  }
  return results;
}

/** Stocks an item at the location, then sets its number there. */
async function stockAt(access: PlatformAccess, { location_id }: Target, change: StockChange): Promise<StockResult> {
  const { external_id, quantity, expected } = change;
  const variables = { item: itemGid(external_id), location: locationGid(location_id) };
  const data = await graphql(access, stock_at_mutation, { ...variables, key: keyOf(variables, [change]) });
  const payload = fieldsOrNone(data["inventoryActivate"]);
  const [error] = fieldsIn(payload["userErrors"]);
  if (error !== undefined) return refusalOf(access, change, error);
  const now = numberAt(payload) ?? 0;
  if (now === quantity) return { external_id, outcome: "set", quantity };
  if (now !== expected) return { external_id, outcome: "stale", quantity: now };
  const results = await setAt(access, { location_id, may_stock: false }, [{ ...change, key: `${change.key} stocked` }]);
  return [...results.values()][0] ?? refusalOf(access, change, {});
}
