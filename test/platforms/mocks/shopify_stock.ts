// The stock of the mock Shopify shop in the GraphQL Admin API. An inventory item's id is its variant's plus a million.
import { GraphQLError, type GraphQLResolveInfo, getDirectiveValues } from "graphql";
import type { Json } from "../../outbound/mock_server.ts";
import type { Shelf, ShelfItem } from "./shelf.ts";
import { connection, gid } from "./shopify_shop.ts";

const units_max = 1_000_000_000;

interface QuantityInput {
  readonly inventoryItemId: string;
  readonly locationId: string;
  readonly quantity: number;
  readonly changeFromQuantity?: number | null;
}

/** The id of a variant's inventory item. */
export const itemIdOf = ({ id }: Pick<ShelfItem, "id">): number => 1_000_000 + id;
const itemIn = ({ items }: Shelf, id: unknown) =>
  [...items.values()].find((item) => gid("InventoryItem", itemIdOf(item)) === id);
const locationIn = ({ locations }: Shelf, id: unknown) => locations.find((one) => gid("Location", one.id) === id);

function levelOf(item: ShelfItem, location: number) {
  const quantity = item.numbers.get(location);
  if (quantity === undefined && !item.inactive.has(location)) return null;
  const quantities = ({ names }: { names: string[] }) => names.map((name) => ({ name, quantity: quantity ?? 0 }));
  return { id: `gid://shopify/InventoryLevel/${item.id}?${location}`, isActive: quantity !== undefined, quantities };
}

function itemView(shelf: Shelf, item: ShelfItem) {
  return {
    __typename: "InventoryItem",
    id: gid("InventoryItem", itemIdOf(item)),
    sku: item.sku,
    tracked: item.counts !== "none",
    inventoryLevel: ({ locationId }: Json) => levelOf(item, locationIn(shelf, locationId)?.id ?? 0),
  };
}

/** The answers to earlier requests, by key. */
type Replays = Map<string, { readonly request: string; readonly payload: unknown }>;

/** Answers a mutation once for each key. Since version 2026-04 it is refused without one. */
function once(replays: Replays, info: GraphQLResolveInfo, args: Json, work: () => unknown): unknown {
  const directive = info.schema.getDirective("idempotent");
  const [node] = info.fieldNodes;
  const key = directive && node && getDirectiveValues(directive, node, info.variableValues)?.["key"];
  if (typeof key !== "string" || key === "") {
    const words = "The @idempotent directive is required for this mutation but was not provided.";
    throw new GraphQLError(words, { extensions: { code: "BAD_REQUEST" } });
  }
  const request = JSON.stringify(args);
  const before = replays.get(key);
  if (before === undefined) {
    const payload = work();
    replays.set(key, { request, payload });
    return payload;
  }
  if (before.request === request) return before.payload;
  const code = "IDEMPOTENCY_KEY_PARAMETER_MISMATCH";
  return { inventoryAdjustmentGroup: null, userErrors: [{ code, field: null, message: "The key was used before." }] };
}

/** The error of one quantity, or null. */
function problemOf(shelf: Shelf, input: QuantityInput, index: number) {
  const error = (code: string, message: string, name: string | null) => {
    return { code, message, field: name === null ? ["input"] : ["input", "quantities", String(index), name] };
  };
  const [item, location] = [itemIn(shelf, input.inventoryItemId), locationIn(shelf, input.locationId)];
  if (input.changeFromQuantity === undefined) throw new GraphQLError("changeFromQuantity is required.");
  if (item === undefined) return error("INVALID_INVENTORY_ITEM", "The item could not be found.", "inventoryItemId");
  if (location === undefined) return error("INVALID_LOCATION", "The location could not be found.", "locationId");
  // Shopify does not say which one.
  if (item.is_bundle) return error("NON_MUTABLE_INVENTORY_ITEM", "The quantity of a bundle cannot be changed.", null);
  if (input.quantity < 0) return error("INVALID_QUANTITY_NEGATIVE", "The quantity is negative.", "quantity");
  if (input.quantity > units_max) return error("INVALID_QUANTITY_TOO_HIGH", "The quantity is too high.", "quantity");
  if (item.inactive.has(location.id)) return null;
  const now = item.numbers.get(location.id);
  if (now === undefined) return error("ITEM_NOT_STOCKED_AT_LOCATION", "The item is not stocked there.", "locationId");
  if (input.changeFromQuantity === null || input.changeFromQuantity === now) return null;
  return error("CHANGE_FROM_QUANTITY_STALE", "The quantity has changed.", "changeFromQuantity");
}

/** Sets all quantities or none. At an inactive level this is a success without effect. */
function setQuantities(shelf: Shelf, quantities: readonly QuantityInput[]) {
  const userErrors = quantities.flatMap((input, index) => problemOf(shelf, input, index) ?? []);
  if (userErrors.length > 0) return { inventoryAdjustmentGroup: null, userErrors };
  const changes = quantities.flatMap(({ inventoryItemId, locationId, quantity }) => {
    const [item, location] = [itemIn(shelf, inventoryItemId) as ShelfItem, locationIn(shelf, locationId)];
    const now = item.numbers.get(location?.id ?? 0);
    if (now !== undefined) item.numbers.set(location?.id ?? 0, quantity);
    const delta = quantity - (now ?? quantity);
    const change = { delta, quantityAfterChange: quantity, item: itemView(shelf, item), location };
    return delta === 0 ? [] : ["available", "on_hand"].map((name) => ({ name, ...change }));
  });
  return { inventoryAdjustmentGroup: { reason: "correction", changes }, userErrors: [] };
}

function activate(shelf: Shelf, { inventoryItemId, locationId }: Json) {
  const [item, location] = [itemIn(shelf, inventoryItemId), locationIn(shelf, locationId)];
  if (item === undefined || location === undefined)
    return { inventoryLevel: null, userErrors: [{ field: ["inventoryItemId"], message: "Not found." }] };
  if (!item.numbers.has(location.id)) item.numbers.set(location.id, 0);
  item.inactive.delete(location.id);
  return { inventoryLevel: levelOf(item, location.id), userErrors: [] };
}

/** The fields of the query's root that concern stock. */
export function stockRoot(shelf: Shelf, replays: Replays) {
  return {
    locations: ({ includeInactive, ...page }: Json) => {
      const shown = shelf.locations.filter(({ is_active }) => is_active || includeInactive === true);
      return connection(
        shown.map(({ id, name, is_active }) => ({ id: gid("Location", id), name, isActive: is_active })),
        page,
      );
    },
    productVariants: (page: Json) =>
      connection(
        [...shelf.items.values()].map((item) => ({
          id: gid("ProductVariant", item.id),
          sku: item.sku,
          barcode: item.barcode,
          displayName: item.name,
          requiresComponents: item.is_bundle,
          inventoryItem: itemView(shelf, item),
        })),
        page,
      ),
    nodes: ({ ids }: Json) =>
      (ids as string[]).map((id) => {
        const item = itemIn(shelf, id);
        return item === undefined ? null : itemView(shelf, item);
      }),
    inventorySetQuantities: (args: Json, _context: unknown, info: GraphQLResolveInfo) =>
      once(replays, info, args, () => {
        const { name, quantities } = args["input"] as { name: string; quantities: QuantityInput[] };
        if (name !== "available") throw new GraphQLError("the mock counts what is available only");
        if (quantities.length > 250) throw new GraphQLError("The input array size is greater than the maximum of 250.");
        return setQuantities(shelf, quantities);
      }),
    inventoryActivate: (args: Json, _context: unknown, info: GraphQLResolveInfo) =>
      once(replays, info, args, () => activate(shelf, args)),
  };
}
