// The stock of the mock WooCommerce shop in the REST API: products, variations and their batches.
import { type Answered, type Asked, type Json, objectOf } from "../../outbound/mock_server.ts";
import type { Shelf, ShelfItem } from "./shelf.ts";

const batch_max = 100;
const listing_parameters = ["per_page", "page", "orderby", "order", "include", "_fields"];

const error = (status: number, code: string, message: string): Answered => ({
  status,
  body: { code, message, data: { status } },
});

const isVariation = ({ id, product_id }: ShelfItem) => id !== product_id;

/** A product or variation as the API shows it. */
interface Shown extends Json {
  readonly id: number;
}

function itemView(item: ShelfItem): Shown {
  const counted = item.counts === "product" ? "parent" : item.counts === "own";
  return {
    id: item.id,
    name: item.name,
    type: isVariation(item) ? "variation" : item.is_bundle ? "bundle" : "simple",
    sku: item.sku,
    global_unique_id: item.barcode ?? "",
    manage_stock: counted,
    stock_quantity: counted === false ? null : (item.numbers.get(1) ?? null),
    description: "<p>Made by hand.</p>",
  };
}

/** The products of the shop. One that has variations counts for those that have no number of their own. */
function productsOf({ items }: Shelf): Shown[] {
  return [...Map.groupBy(items.values(), ({ product_id }) => product_id)].map(([product_id, own]) => {
    const [first] = own as [ShelfItem];
    if (!isVariation(first)) return itemView(first);
    const sharing = own.find(({ counts }) => counts === "product");
    const numbers = { manage_stock: sharing !== undefined, stock_quantity: sharing?.numbers.get(1) ?? null };
    return { ...itemView(first), id: product_id, name: "Shirt &amp; co", type: "variable", sku: "", ...numbers };
  });
}

/** The products, or the variations of one; null if there is no such product. */
function listIn(shelf: Shelf, product_id: string | undefined): Shown[] | null {
  if (product_id === undefined) return productsOf(shelf);
  const own = [...shelf.items.values()].filter((item) => item.product_id === Number(product_id));
  return own.length === 0 ? null : own.filter(isVariation).map(itemView);
}

function pageOf(list: readonly Shown[], query: URLSearchParams): Answered {
  const unknown = [...query.keys()].find((name) => !listing_parameters.includes(name));
  const [size, number] = [Number(query.get("per_page") ?? 10), Number(query.get("page") ?? 1)];
  const is_sound = size >= 1 && size <= 100 && number >= 1;
  if (unknown !== undefined || !is_sound) return error(400, "rest_invalid_param", "Invalid parameter(s)");
  const included = query.get("include")?.split(",").map(Number);
  const fields = query.get("_fields")?.split(",");
  const found = list.filter(({ id }) => included?.includes(id) ?? true).sort((a, b) => a.id - b.id);
  const body = found.slice((number - 1) * size, number * size).map((item) => {
    return fields ? Object.fromEntries(fields.map((name) => [name, item[name]])) : item;
  });
  return { status: 200, body };
}

/** Changes each entry by itself, and answers with what it has become or why it was refused. */
function changeAll(shelf: Shelf, product_id: string | undefined, { body }: Asked): Answered {
  const update = (objectOf(body)?.["update"] ?? []) as { id: number; stock_quantity: number }[];
  if (update.length > batch_max) return error(413, "woocommerce_rest_request_entity_too_large", "Too many items.");
  const changed = update.map(({ id, stock_quantity, ...rest }) => {
    if (Object.keys(rest).length > 0) throw new Error(`the mock cannot change ${Object.keys(rest)}`);
    const shown = listIn(shelf, product_id)?.find((item) => item.id === id);
    const refused = { code: "woocommerce_rest_product_invalid_id", message: "Invalid ID.", data: { status: 404 } };
    if (shown === undefined) return { id, error: refused };
    // A product that is not counted ignores the number.
    if (shown["manage_stock"] === true) {
      const own = [...shelf.items.values()].filter((item) => item.id === id || item.product_id === id);
      for (const item of own) if (item.id === id || item.counts === "product") item.numbers.set(1, stock_quantity);
    }
    return listIn(shelf, product_id)?.find((item) => item.id === id);
  });
  return { status: 200, body: { update: changed } };
}

/** Answers a request for `/products…`; null if it is for something else. */
export function answerStock(shelf: Shelf, path: string, asked: Asked): Answered | null {
  const [, product_id, batch] = /^\/products(?:\/(\d+)\/variations)?(\/batch)?$/.exec(path) ?? [];
  if (!path.startsWith("/products")) return null;
  const list = listIn(shelf, product_id);
  if (list === null) return error(404, "woocommerce_rest_product_invalid_id", "Invalid ID.");
  if (batch !== undefined && asked.method === "POST") return changeAll(shelf, product_id, asked);
  if (asked.method === "GET") return pageOf(list, asked.query);
  return error(404, "rest_no_route", "No route was found matching the URL and request method.");
}
