import { Elysia } from "elysia";
import type { Db, Tx } from "../../database/store.ts";
import { answerRead, answerWrite } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/paging.ts";
import { requireMatch, tagged } from "../../http/preconditions.ts";
import { documented } from "../../http/route.ts";
import { answerTogether, type SharedAct } from "../../http/together.ts";
import { missing } from "../../kit/fault.ts";
import { readId } from "../../kit/ids.ts";
import { bodyOf, queryOf } from "../../kit/schema.ts";
import { adjustStock, adjustTogether } from "../adjustments/commands.ts";
import { addStock } from "../arrivals/commands.ts";
import { refuseBins, showsBins } from "../bin_codes.ts";
import { loadShelvesAndSets } from "../bundles/store.ts";
import { countStocked, listStocked, sizesOfLevels } from "../levels/store.ts";
import { openShelves } from "../shelves/commands.ts";
import { dayAsked } from "../warehouses/store.ts";
import { AddStock, AdjustmentView, AdjustStock, ItemView, LevelView, ListLevels, ReceivedView } from "./schemas.ts";
import { itemView, levelView } from "./shelf.ts";
import { findStockedId } from "./store.ts";

const adjusting: SharedAct<{ readonly sku: string; readonly input: AdjustStock }, object> = {
  name: "adjustInventory",
  status: 200,
  weight: () => 1,
  alone: async (tx, { input: { sku, input }, call }) => {
    await requireMatch(call, () => locked(call, tx, sku));
    return adjustStock(tx, sku, input, call.actor);
  },
  together: (tx, parts) => {
    return adjustTogether(
      tx,
      parts.map(({ input, call }) => ({ ...input, actor: call.actor })),
    );
  },
  view: (adjusted) => adjusted,
};

/** Levels of stock: list, detail, add, adjust. */
export const stockRoutes = new Elysia({ prefix: "/inventory" })
  .use(conventions)
  .get("", ({ call, query }) => list(call, query), {
    query: queryOf(ListLevels),
    detail: documented({
      id: "listInventory",
      needs: "stock.read",
      chapter: "Inventory",
      summary: "List inventory levels",
      answers: { 200: ListView(LevelView) },
    }),
  })
  .post("", ({ call, body }) => answerWrite(call, 201, (tx) => addStock(tx, body, call.actor)), {
    body: bodyOf(AddStock),
    detail: documented({
      id: "addInventory",
      needs: "stock.write",
      chapter: "Inventory",
      summary: "Add inventory",
      refuses: ["bin_full", "bin_of_other_merchant", "resource_missing"],
      answers: { 201: EnvelopedView(ReceivedView) },
    }),
  })
  .get("/:sku", ({ call, params }) => answerRead(call, (db) => detail(call, db, params.sku)), {
    detail: documented({
      id: "getInventory",
      needs: "stock.read",
      chapter: "Inventory",
      tagged: true,
      summary: "Get the inventory of a SKU",
      answers: { 200: EnvelopedView(ItemView) },
    }),
  })
  .patch("/:sku", ({ call, params, body }) => answerTogether(call, adjusting, { sku: params.sku, input: body }), {
    body: bodyOf(AdjustStock),
    detail: documented({
      id: "adjustInventory",
      needs: "stock.write",
      chapter: "Inventory",
      matches: true,
      summary: "Adjust the inventory of a SKU",
      refuses: [
        "ambiguous_stock",
        "bin_of_other_merchant",
        "insufficient_inventory",
        "quantity_conflict",
        "would_break_reservations",
      ],
      answers: { 200: EnvelopedView(AdjustmentView) },
    }),
  });

async function detail(call: Call, db: Db, sku: string) {
  const id = await findStockedId(db, sku);
  const [shelf] = id === null ? [] : await loadShelvesAndSets(db, [id]);
  if (shelf === undefined) throw missing("SKU", sku);
  return tagged(itemView(shelf, db.now, shelf.updated_at, showsBins(call)), null);
}

/** As `detail`, and nobody else changes it until the transaction ends. */
async function locked(call: Call, tx: Tx, sku: string) {
  const id = await findStockedId(tx, sku);
  await openShelves(tx, id === null ? [] : [id]);
  return detail(call, tx, sku);
}

function list(call: Call, query: ListLevels): Promise<Response> {
  const { location, sort = "sku", expiring_before, page: _page, limit: _limit, cursor: _cursor, ...named } = query;
  // A warehouse that does not exist holds nothing.
  refuseBins(call, { bin: named.bin, zone: named.zone });
  const warehouse_id = location === undefined ? undefined : (readId("warehouse", location) ?? 0);
  const filterIn = async (db: Db) => ({
    ...named,
    warehouse_id,
    expiring_before: await dayAsked(db, expiring_before, warehouse_id),
  });
  return answerList(
    call,
    query,
    {
      rows: async (db, window) => listStocked(db, await filterIn(db), window, sort),
      count: async (db) => countStocked(db, await filterIn(db)),
      position: ({ key, place }) => [key, place],
      long: {
        bytes: (db, rows) =>
          sizesOfLevels(
            db,
            rows.map(({ id }) => id),
          ),
      },
    },
    (rows, db) =>
      levels(
        db,
        rows.map(({ id }) => id),
        showsBins(call),
      ),
  );
}

/** The levels of products, worked out once for all who ask for the same ones in a shared view. */
function levels(db: Db, ids: readonly number[], bins: boolean): Promise<object[]> {
  return db.memo(`inventory.levels:${bins}:${ids}`, async () => {
    const shelves = await loadShelvesAndSets(db, ids);
    return shelves.map((shelf) => levelView(shelf, db.now, shelf.updated_at, bins));
  });
}
