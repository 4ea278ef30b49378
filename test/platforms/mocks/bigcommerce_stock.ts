// The stock of the mock BigCommerce store in version 3 of its API: the catalogue, locations, and numbers by location.
import { type Answered, type Asked, type Json, objectOf } from "../../outbound/mock_server.ts";
import type { Shelf, ShelfItem } from "./shelf.ts";

const adjustments_max = 2000;

const error = (status: number, title: string, errors: Json = {}): Answered => ({
  status,
  body: { status, title, type: "https://developer.bigcommerce.com/", errors },
});

function pageOf(list: readonly Json[], query: URLSearchParams, known: readonly string[]): Answered {
  const unknown = [...query.keys()].find((name) => !["page", "limit", ...known].includes(name));
  if (unknown !== undefined) return error(422, `The filter ${unknown} is not supported.`);
  const [number, size] = [Number(query.get("page") ?? 1), Number(query.get("limit") ?? 50)];
  if (!(number >= 1 && size >= 1 && size <= 250)) return error(422, "The page or limit is invalid.");
  const fields = query.get("include_fields")?.split(",");
  const data = list.slice((number - 1) * size, number * size).map((entry) => {
    return fields ? Object.fromEntries(["id", ...fields].map((name) => [name, entry[name]])) : entry;
  });
  return { status: 200, body: { data, meta: { pagination: { total: list.length } } } };
}

/** How the product of an item is counted. Without variants it is counted as a whole. */
function trackingOf({ id, product_id, counts }: ShelfItem): "none" | "product" | "variant" {
  if (counts === "none") return "none";
  return counts === "product" || id === product_id ? "product" : "variant";
}

const productsOf = ({ items }: Shelf) =>
  [...Map.groupBy(items.values(), ({ product_id }) => product_id)].map(([id, own]) => {
    const [first] = own as [ShelfItem];
    const tracking = trackingOf(first);
    const texts = {
      name: first.name,
      sku: tracking === "variant" ? "" : first.sku,
      upc: first.barcode ?? "",
      gtin: "",
    };
    return { id, ...texts, type: "physical", inventory_tracking: tracking };
  });

/** The ids of a filter such as `product_id:in`; null without it. */
const idsIn = (query: URLSearchParams, name: string) => query.get(`${name}:in`)?.split(",").map(Number) ?? null;

function variantsOf({ items }: Shelf, query: URLSearchParams) {
  const wanted = idsIn(query, "product_id");
  return [...items.values()].flatMap(({ id, product_id, sku, barcode }) =>
    wanted?.includes(product_id) === false ? [] : [{ id, product_id, sku, upc: barcode ?? "", gtin: "" }],
  );
}

/** The items whose numbers exist: variants by themselves, or the first of a product that is counted as a whole. */
function countedItems({ items }: Shelf): ShelfItem[] {
  const all = [...items.values()].filter(({ counts }) => counts !== "none");
  return all.filter((item) => {
    return trackingOf(item) === "variant" || all.find(({ product_id }) => product_id === item.product_id) === item;
  });
}

function numbersAt(shelf: Shelf, location: number, query: URLSearchParams): Json[] {
  const [variants, products] = [idsIn(query, "variant_id"), idsIn(query, "product_id")];
  return countedItems(shelf).flatMap(({ id, product_id, sku, numbers }) => {
    if (variants?.includes(id) === false || products?.includes(product_id) === false) return [];
    const units = numbers.get(location) ?? 0;
    const settings = { safety_stock: 0, is_in_stock: units > 0, warning_level: 0 };
    const identity = { sku, sku_id: null, variant_id: id, product_id };
    return [{ identity, settings, available_to_sell: units, total_inventory_onhand: units }];
  });
}

interface Adjustment {
  readonly location_id: number;
  readonly variant_id?: number;
  readonly product_id?: number;
  readonly quantity: number;
}

/** Sets all numbers or none. */
function adjust(shelf: Shelf, { body }: Asked): Answered {
  const given = objectOf(body) as { reason?: string; items?: Adjustment[] } | null;
  const items = given?.items ?? [];
  if (items.length === 0 || items.length > adjustments_max) return error(422, "The number of items is invalid.");
  const found = items.map(({ variant_id, product_id }) =>
    countedItems(shelf).find((item) => {
      return trackingOf(item) === "variant" ? item.id === variant_id : item.product_id === product_id;
    }),
  );
  const bad = items.findIndex(({ location_id, quantity }, index) => {
    const is_known = shelf.locations.some(({ id }) => id === location_id);
    return found[index] === undefined || found[index]?.is_bundle || !is_known || !(quantity >= 0);
  });
  if (bad >= 0) return error(422, "JSON data is invalid.", { [`items.${bad}`]: "This item cannot be adjusted." });
  for (const [index, { location_id, quantity }] of items.entries()) found[index]?.numbers.set(location_id, quantity);
  return { status: 200, body: { transaction_id: "t-1" } };
}

/** Answers a request of version 3. */
export function answerStock(shelf: Shelf, path: string, asked: Asked): Answered {
  const { method, query } = asked;
  if (path === "/inventory/adjustments/absolute" && method === "PUT") return adjust(shelf, asked);
  if (method !== "GET") return error(405, "The method is not allowed.");
  if (path === "/catalog/products") {
    return pageOf(productsOf(shelf), query, ["sort", "direction", "include_fields"]);
  }
  if (path === "/catalog/variants") return pageOf(variantsOf(shelf, query), query, ["product_id:in", "include_fields"]);
  if (path === "/inventory/locations") {
    const locations = shelf.locations.map(({ id, name, is_active }) => {
      return { id, code: `L-${id}`, label: name, type_id: "PHYSICAL", enabled: is_active };
    });
    return pageOf(locations, query, []);
  }
  const [, location] = /^\/inventory\/locations\/(\d+)\/items$/.exec(path) ?? [];
  if (!shelf.locations.some(({ id }) => id === Number(location))) return error(404, "Not found.");
  return pageOf(numbersAt(shelf, Number(location), query), query, ["variant_id:in", "product_id:in"]);
}
