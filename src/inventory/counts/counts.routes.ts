import { NoBody } from "../../core/schema.ts";
import { list, read, routes, write } from "../../http/routes.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { unscoped } from "../../storage/scope.ts";
import { shortfallsView } from "../reservations/reservation.ts";
import { CountView, OpenCount, PlainCountView, PostCount, PostedView, RecordLines } from "./count.schema.ts";
import { countView, plainCountView } from "./count.ts";
import { countList, getCount, listProgress, lockCount } from "./counts.sql.ts";
import { cancelCount, openCount, postCount, recordLines, reviewCount } from "./counts.ts";

/**
 * A count belongs to the operator: all of its lines are visible and posted, whichever merchant the request is about.
 */
const ofAll = <D extends Db | Tx>(db: D): D => db.scoped(unscoped) as D;

const current = (tx: Tx, { params }: { readonly params: { readonly id: string } }) => lockCount(ofAll(tx), params.id);

/** Cycle counts: open, count, review, post. */
export const countRoutes = routes("Cycle counts", [
  write("POST", "/inventory/counts", "stock.write", {
    id: "openCount",
    summary: "Open a cycle count",
    description:
      "Lists what is expected in some bins, of some SKUs or in the whole warehouse, so that the shelves can be" +
      " checked against it. Stock stays in use meanwhile. Picked units in staging are not counted. At most 5,000" +
      " lines; several counts may be open at once.",
    refuses: ["resource_missing"],
    body: OpenCount,
    view: CountView,
    status: 201,
    act: async (tx, { call, body }) => countView(await openCount(tx, body, call.actor)),
  }),
  list("/inventory/counts", "stock.read", {
    id: "listCounts",
    summary: "List cycle counts",
    description: "Cycle counts without their lines, newest first. `items_counted` shows the progress of each.",
    of: countList,
    view: PlainCountView,
    views: async (rows, db) => {
      const progress = await listProgress(
        db,
        rows.map(({ id }) => id),
      );
      return rows.map((row) => plainCountView(row, progress.get(row.id) ?? { lines: 0, counted: 0 }));
    },
  }),
  read("/inventory/counts/:id", "stock.read", {
    id: "getCount",
    summary: "Get a cycle count",
    description:
      "The count with all lines in the order of the walk, and the totals of the differences. A blind count hides" +
      " expected units until its review.",
    view: CountView,
    data: async (db, { params }) => countView(await getCount(ofAll(db), params.id)),
  }),
  write("POST", "/inventory/counts/:id/items", "stock.floor", {
    id: "recordCount",
    summary: "Record counted units",
    description:
      "Stores the units found in each place, along with the units expected at that moment. Recording a line again" +
      " replaces it, and a place that was not expected becomes a new line. Stock does not change yet. A count in" +
      " review is reopened.",
    refuses: ["ambiguous_stock", "invalid_state_transition", "merchant_closed", "resource_missing"],
    body: RecordLines,
    view: CountView,
    matches: current,
    act: async (tx, { call, params, body }) => countView(await recordLines(ofAll(tx), params.id, body, call.actor)),
  }),
  write("POST", "/inventory/counts/:id/review", "stock.write", {
    id: "reviewCount",
    summary: "Review a cycle count",
    description:
      "Ends the counting and values the differences, so that someone can check them before posting. At least one" +
      " line must be counted; uncounted lines will not be adjusted. Recording another quantity reopens the count.",
    refuses: ["invalid_state_transition"],
    body: NoBody,
    view: CountView,
    matches: current,
    act: async (tx, { params }) => countView(await reviewCount(ofAll(tx), params.id)),
  }),
  write("POST", "/inventory/counts/:id/post", "stock.write", {
    id: "postCount",
    summary: "Post a cycle count",
    description:
      "Adjusts the stock by one movement for each line that differs: all of them or none. It is refused if stock" +
      " has moved since a differing line was counted; record these lines again. Reserved units that are missing are" +
      " reserved from other stock. Backordered orders that avoid a counted bin, since a picker did not find units" +
      " there, may get units from it again. Emits `inventory.updated` for each SKU that changed and creates a" +
      " billable event for each merchant.",
    refuses: ["invalid_state_transition", "merchant_closed", "quantity_conflict", "would_break_reservations"],
    body: PostCount,
    view: PostedView,
    matches: current,
    act: async (tx, { call, params, body }) => {
      const { count, shortfalls } = await postCount(ofAll(tx), params.id, body, call.actor);
      return { ...countView(count), backordered_orders: shortfallsView(shortfalls) };
    },
  }),
  write("POST", "/inventory/counts/:id/cancel", "stock.write", {
    id: "cancelCount",
    summary: "Cancel a cycle count",
    description:
      "Ends an open or reviewed count without adjusting any stock. What was recorded stays readable. A cancelled" +
      " count cannot be cancelled again.",
    refuses: ["invalid_state_transition"],
    body: NoBody,
    view: CountView,
    matches: current,
    act: async (tx, { params }) => countView(await cancelCount(ofAll(tx), params.id)),
  }),
]);
