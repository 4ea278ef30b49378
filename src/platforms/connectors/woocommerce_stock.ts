// Reads and sets stock at WooCommerce. A number belongs to a product, or to a variation that counts its own; variations
// whose product counts for all of them share one listing.

import { fieldsIn, fieldsOrNone, type JsonFields, readText } from "../../outbound/api.ts";
import { inBatches, parseReply, readPages, withoutSecrets } from "./call_platform.ts";
import type {
  PlatformAccess,
  PlatformListing,
  PlatformListingPage,
  PlatformStock,
  StockChange,
  StockResult,
} from "./connector.ts";
import { readExternalId, readSku, readStock } from "./platform_fields.ts";
import { byLocation, compareAndSet, type StockResults, uncounted } from "./stock_results.ts";
import { call, page_size, readPlain } from "./woocommerce_api.ts";

/** Each changed product comes back whole, and a response has a maximum size. */
const batch_max = 50;

// A product with variations needs a request of its own.
const products_per_page = 25;

export const stock: PlatformStock = {
  batch_max,
  locations: () => Promise.resolve([]),
  listings,
  quantities,
  set,
};

const product_fields = "id,name,type,sku,global_unique_id,manage_stock,stock_quantity";
const variation_fields = "id,name,sku,global_unique_id,manage_stock,stock_quantity";

/** Types of products whose units are those of their parts. */
const bundle_types: readonly unknown[] = ["bundle", "composite"];

/** Types of products that are not goods themselves: a list of other products, and a link to another shop. */
const container_types: readonly unknown[] = ["grouped", "external"];

async function listings(access: PlatformAccess, { cursor }: PlatformListingPage) {
  const page = Number(cursor ?? 1);
  const filter = `orderby=id&order=asc&per_page=${products_per_page}&page=${page}&_fields=${product_fields}`;
  const products = fieldsIn((await call(access, "GET", `/products?${filter}`)).json);
  const found: PlatformListing[] = [];
  for (const product of products) {
    if (container_types.includes(product["type"])) continue;
    const is_variable = product["type"] === "variable" || product["type"] === "variable-subscription";
    const variations = is_variable ? await variationsOf(access, String(product["id"])) : null;
    found.push(...parseReply(() => listingsOf(product, variations)));
  }
  return { listings: found, next: products.length < products_per_page ? null : String(page + 1) };
}

async function variationsOf(access: PlatformAccess, product_id: string): Promise<JsonFields[]> {
  return await readPages(page_size, async (page) => {
    const filter = `orderby=id&order=asc&per_page=${page_size}&page=${page}&_fields=${variation_fields}`;
    return fieldsIn((await call(access, "GET", `/products/${product_id}/variations?${filter}`)).json);
  });
}

function listingsOf(product: JsonFields, variations: readonly JsonFields[] | null): PlatformListing[] {
  const id = readExternalId(product["id"], "id");
  const name = readPlain(product["name"], 200) ?? `Product ${id}`;
  if (variations === null) {
    const unsettable = bundle_types.includes(product["type"]) ? "bundle" : untracked(product);
    return [{ ...listingOf(product), external_id: id, variant_ids: [`p${id}`], name, unsettable }];
  }
  const own = variations
    .filter(({ manage_stock }) => manage_stock !== "parent")
    .map((variation) => {
      const variation_id = readExternalId(variation["id"], "variation.id");
      return {
        ...listingOf(variation),
        external_id: `${id}/${variation_id}`,
        variant_ids: [variation_id],
        name: [name, readPlain(variation["name"], 200) ?? variation_id].join(" - "),
        unsettable: untracked(variation),
      };
    });
  const sharing = variations.filter(({ manage_stock }) => manage_stock === "parent");
  if (sharing.length === 0) return own;
  const variant_ids = sharing.map((variation) => readExternalId(variation["id"], "variation.id"));
  return [{ ...listingOf(product), external_id: id, variant_ids, name, unsettable: null }, ...own];
}

const listingOf = (item: JsonFields) => ({
  sku: readSku(item["sku"]),
  barcode: readText(item["global_unique_id"], 100),
  quantity: numberOf(item),
});

const untracked = ({ manage_stock }: JsonFields): "untracked" | null => (manage_stock === true ? null : "untracked");

/** The number of a product or variation; null if it has none of its own. */
function numberOf({ manage_stock, stock_quantity }: JsonFields): number | null {
  return manage_stock === true ? (readStock(stock_quantity) ?? 0) : null;
}

/** The product of a listing, and its variation if the number is the variation's. */
function partsOf(external_id: string): { product_id: string; variation_id: string | null } {
  const [product_id = external_id, variation_id = null] = external_id.split("/");
  return { product_id, variation_id };
}

/** Listings by the path of the API that reads and sets them: all products, or the variations of one. */
function byPath<Listing extends { readonly external_id: string }>(all: readonly Listing[]): Map<string, Listing[]> {
  return Map.groupBy(all, ({ external_id }) => {
    const { product_id, variation_id } = partsOf(external_id);
    return variation_id === null ? "/products" : `/products/${product_id}/variations`;
  });
}

const numberIn = (external_id: string) => external_id.replace(/^.*\//, "");

async function quantities(access: PlatformAccess, external_ids: readonly string[]) {
  const found = new Map<string, number>();
  for (const [path, own] of byPath(external_ids.map((external_id) => ({ external_id })))) {
    for (const batch of inBatches(own, page_size)) {
      const ids = new Map(batch.map(({ external_id }) => [numberIn(external_id), external_id]));
      const filter = `per_page=${page_size}&_fields=id,manage_stock,stock_quantity`;
      const { json } = await call(access, "GET", `${path}?include=${[...ids.keys()].join(",")}&${filter}`);
      for (const item of fieldsIn(json)) {
        const [external_id, quantity] = [ids.get(String(item["id"])), numberOf(item)];
        if (external_id !== undefined && quantity !== null) found.set(external_id, quantity);
      }
    }
  }
  return found;
}

async function set(access: PlatformAccess, changes: readonly StockChange[]): Promise<readonly StockResult[]> {
  return await byLocation(changes, async (_, own) => {
    const ids = own.map(({ external_id }) => external_id);
    return await compareAndSet(own, await quantities(access, ids), (wanted) => write(access, wanted));
  });
}

async function write(access: PlatformAccess, changes: readonly StockChange[]): Promise<StockResults> {
  const results: StockResults = new Map();
  for (const [path, own] of byPath(changes)) {
    const update = own.map(({ external_id, quantity }) => {
      return { id: Number(numberIn(external_id)), stock_quantity: quantity };
    });
    const { json } = await call(access, "POST", `${path}/batch`, { update });
    const items = new Map(fieldsIn(fieldsOrNone(json)["update"]).map((item) => [String(item["id"]), item]));
    for (const change of own) {
      results.set(change, resultOf(access, change.external_id, items.get(numberIn(change.external_id))));
    }
  }
  return results;
}

function resultOf(access: PlatformAccess, external_id: string, item: JsonFields = {}): StockResult {
  const error = fieldsOrNone(item["error"]);
  const quantity = numberOf(item);
  if (typeof error["code"] === "string") {
    const message = withoutSecrets(readPlain(error["message"], 200) ?? "WooCommerce refused the quantity.", access);
    return { external_id, outcome: "refused", code: error["code"].slice(0, 100), message, permanent: true };
  }
  return quantity === null ? uncounted(external_id) : { external_id, outcome: "set", quantity };
}
