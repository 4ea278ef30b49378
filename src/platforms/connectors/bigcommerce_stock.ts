// Reads and sets stock at BigCommerce. A number belongs to a product or to each of its variants, as the product's
// `inventory_tracking` says, and is counted by location.

import { fieldsOrNone, type JsonFields, readText } from "../../outbound/api.ts";
import { call, listed, page_size } from "./bigcommerce_api.ts";
import { inBatches, parseReply, readPages, withoutSecrets } from "./call_platform.ts";
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
import { byLocation, compareAndSet, type StockResults } from "./stock_results.ts";

const batch_max = 250;
const products_per_page = 100;

/** The location of a store that has defined none. */
const default_location = "1";

export const stock: PlatformStock = { batch_max, locations, listings, quantities, set };

async function locations(access: PlatformAccess): Promise<PlatformLocation[]> {
  const found = await readPages<JsonFields>(page_size, (page) =>
    listed(access, `/inventory/locations?page=${page}&limit=${page_size}`),
  );
  return parseReply(() =>
    found.map(({ id, label, enabled }) => {
      const external_id = readExternalId(id, "id");
      return { external_id, name: readText(label, 200) ?? external_id, is_active: enabled === true };
    }),
  );
}

async function listings(access: PlatformAccess, { cursor, location_id }: PlatformListingPage) {
  const page = Number(cursor ?? 1);
  const fields = "name,sku,upc,gtin,type,inventory_tracking";
  const filter = `page=${page}&limit=${products_per_page}&sort=id&direction=asc&include_fields=${fields}`;
  const products = await listed(access, `/catalog/products?${filter}`);
  const goods = products.filter(({ type }) => type !== "digital");
  const next = products.length < products_per_page ? null : String(page + 1);
  if (goods.length === 0) return { listings: [], next };
  const variants = Map.groupBy(await variantsOf(access, goods), ({ product_id }) => String(product_id));
  const found = parseReply(() =>
    goods.flatMap((product) => listingsOf(product, variants.get(String(product["id"])) ?? [])),
  );
  const counted = found.filter(({ unsettable }) => unsettable === null).map(({ external_id }) => external_id);
  const shown = await quantities(access, counted, location_id);
  return {
    listings: found.map((listing) => ({ ...listing, quantity: shown.get(listing.external_id) ?? null })),
    next,
  };
}

async function variantsOf(access: PlatformAccess, products: readonly JsonFields[]): Promise<JsonFields[]> {
  const ids = products.map(({ id }) => String(id)).join(",");
  const filter = `product_id:in=${ids}&include_fields=product_id,sku,upc,gtin&limit=${page_size}`;
  return await readPages<JsonFields>(page_size, (page) => listed(access, `/catalog/variants?${filter}&page=${page}`));
}

function listingsOf(product: JsonFields, variants: readonly JsonFields[]): PlatformListing[] {
  const id = readExternalId(product["id"], "id");
  const name = readText(product["name"], 200) ?? `Product ${id}`;
  const variant_ids = variants.map((variant) => readExternalId(variant["id"], "variant.id"));
  if (product["inventory_tracking"] === "variant") {
    return variants.map((variant, index) => {
      const own = listingOf(variant);
      const shown = variants.length === 1 ? name : `${name} - ${own.sku ?? variant_ids[index]}`;
      const external_id = `${id}/${variant_ids[index]}`;
      return { ...own, external_id, variant_ids: variant_ids.slice(index, index + 1), name: shown, unsettable: null };
    });
  }
  const unsettable = product["inventory_tracking"] === "product" ? null : "untracked";
  return [{ ...listingOf(product), external_id: id, variant_ids: [`p${id}`, ...variant_ids], name, unsettable }];
}

const listingOf = (item: JsonFields) => ({
  sku: readSku(item["sku"]),
  barcode: readText(item["gtin"], 100) ?? readText(item["upc"], 100),
  quantity: null,
});

/** How BigCommerce names the product or variant of a listing: by the variant's id, or by the product's. */
function identityOf(external_id: string): { field: "variant_id" | "product_id"; id: string } {
  const [product_id = external_id, variant_id] = external_id.split("/");
  return variant_id === undefined ? { field: "product_id", id: product_id } : { field: "variant_id", id: variant_id };
}

async function quantities(access: PlatformAccess, external_ids: readonly string[], location_id: string | null) {
  const found = new Map<string, number>();
  const path = `/inventory/locations/${encodeURIComponent(location_id ?? default_location)}/items`;
  for (const [field, own] of Map.groupBy(external_ids, (external_id) => identityOf(external_id).field)) {
    for (const batch of inBatches(own, page_size)) {
      const ids = new Map(batch.map((external_id) => [identityOf(external_id).id, external_id]));
      const filter = `${field}:in=${[...ids.keys()].join(",")}&limit=${page_size}`;
      // A product that is counted as a whole has one entry.
      for (const { identity, total_inventory_onhand } of await listed(access, `${path}?${filter}`)) {
        const external_id = ids.get(String(fieldsOrNone(identity)[field]));
        if (external_id !== undefined) found.set(external_id, readStock(total_inventory_onhand) ?? 0);
      }
    }
  }
  return found;
}

async function set(access: PlatformAccess, changes: readonly StockChange[]): Promise<readonly StockResult[]> {
  return await byLocation(changes, async (location_id, own) => {
    const ids = own.map(({ external_id }) => external_id);
    const shown = await quantities(access, ids, location_id);
    return await compareAndSet(own, shown, (wanted) => adjust(access, location_id, wanted));
  });
}

/** Sets quantities. BigCommerce sets all of them or none; if it refuses them, each half is set by itself. */
async function adjust(
  access: PlatformAccess,
  location_id: string | null,
  changes: readonly StockChange[],
): Promise<StockResults> {
  const [first] = changes;
  if (first === undefined) return new Map();
  const items = changes.map(({ external_id, quantity }) => {
    const { field, id } = identityOf(external_id);
    return { location_id: Number(location_id ?? default_location), [field]: Number(id), quantity };
  });
  const body = { reason: "Stock in the warehouse", items };
  const { status, json } = await call(access, "PUT", "/v3/inventory/adjustments/absolute", body, { also: [400, 422] });
  if (status < 300) return new Map(changes.map((change) => [change, accepted(change)]));
  if (changes.length === 1) return new Map([[first, refusalOf(access, first.external_id, fieldsOrNone(json))]]);
  const middle = changes.length >> 1;
  const before = await adjust(access, location_id, changes.slice(0, middle));
  return new Map([...before, ...(await adjust(access, location_id, changes.slice(middle)))]);
}

/** The store applies a change within seconds, so that reading it back now could return the number before. */
function accepted({ external_id, quantity }: StockChange): StockResult {
  return { external_id, outcome: "set", quantity };
}

function refusalOf(access: PlatformAccess, external_id: string, { title, errors }: JsonFields): StockResult {
  const [reason] = Object.values(fieldsOrNone(errors));
  const words = readText(reason, 200) ?? readText(title, 200) ?? "BigCommerce refused the quantity.";
  const message = withoutSecrets(words, access);
  return { external_id, outcome: "refused", code: "refused", message, permanent: true };
}
