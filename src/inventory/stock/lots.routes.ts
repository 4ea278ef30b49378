import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import type { Call } from "../../http/call.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { requireMatch, tagged } from "../../http/preconditions.ts";
import { answerWrite } from "../../http/response.ts";
import { list, read, respond, routes } from "../../http/routes.ts";
import { type ViewerWithUsers, viewerOf, withActorsFor } from "../../identity/actors.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { lockStock } from "../reservations/locked_stock.ts";
import { shortfallsView } from "../reservations/reservation.ts";
import { showsBins } from "../warehouses/bin_visibility.ts";
import { type LotChangeResult as Changed, correctLot, setLotStatus } from "./change_lot.ts";
import { ChangedLotView, CorrectLot, LotDetailView, LotView, SetLotStatus } from "./lot.schema.ts";
import { lotDetail, lotView, type NamedLot } from "./lot.ts";
import { findNamedLot, listLotChanges, listLotUnits, lotList, zonesOf } from "./lots.sql.ts";

const changing = { tagged: true, matches: true, answers: { 200: EnvelopedView(ChangedLotView) } } as const;

/** Lots: list, detail, dates and status. */
export const lotRoutes = routes("Lots", [
  list("/inventory/lots", "stock.read", {
    id: "listLots",
    summary: "List lots",
    description:
      "Lots with their expiry, status and where their units are. Newest first; `sort=expiration_date` shows what" +
      " expires next.",
    of: lotList,
    view: LotView,
    views: async (lots, db, { call }) => {
      const units = await listLotUnits(
        db,
        lots.map(({ id }) => id),
      );
      const of = Map.groupBy(units, (item) => item.lot_id);
      return Promise.all(
        lots.map(async (lot) => {
          const own = of.get(lot.id) ?? [];
          return lotView(lot, own, { zones: await zonesOf(db, own), now: db.now }, showsBins(call));
        }),
      );
    },
  }),
  read("/inventory/lots/:id", "stock.read", {
    id: "getLot",
    summary: "Get a lot",
    description: "The lot with its bins, its history of changes and the statuses that can be set now.",
    tagged: true,
    view: LotDetailView,
    prepare: ({ call }) => viewerOf(call),
    data: (db, { params, prepared }) => detailOf(prepared, db, params.id),
  }),
  respond("PATCH", "/inventory/lots/:id", "stock.write", {
    id: "correctLot",
    summary: "Correct a lot's expiry or date of receipt",
    description:
      "Corrects dates that were entered wrongly. If the lot has expired by its new date, its reserved units are" +
      " reserved from other stock or their orders backordered; if it no longer has, it is on sale again. The" +
      " current dates change nothing. Emits `inventory.updated`.",
    ...changing,
    body: CorrectLot,
    answer: ({ call, params, body }) => change(call, params.id, (tx) => correctLot(tx, params.id, body, call.actor)),
  }),
  respond("POST", "/inventory/lots/:id/status", "stock.write", {
    id: "setLotStatus",
    summary: "Set the status of a lot",
    description:
      "Takes a lot off sale or back on sale. Its reserved, unpicked units are reserved from other stock; where" +
      " there is none, their orders are backordered. `recalled` also puts orders with picked units of the lot on" +
      " hold. The current status changes nothing. Emits `inventory.updated` if the available units change.",
    refuses: ["invalid_state_transition"],
    ...changing,
    body: SetLotStatus,
    answer: ({ call, params, body }) => change(call, params.id, (tx) => setLotStatus(tx, params.id, body, call.actor)),
  }),
]);

async function detailOf(viewer: ViewerWithUsers, db: Db, id: string) {
  const lot = await findNamedLot(db, readId("lot", id) ?? 0);
  if (lot === null) throw missing("lot", id);
  return detail(viewer, db, lot);
}

/** As `detailOf`, with the lot's stock locked, as every change of a lot requires. */
async function locked(viewer: ViewerWithUsers, tx: Tx, id: string) {
  const lot = await findNamedLot(tx, readId("lot", id) ?? 0);
  if (lot !== null) await lockStock(tx, [lot.product_id]);
  return detailOf(viewer, tx, id);
}

async function change(call: Call, id: string, work: (tx: Tx) => Promise<Changed>): Promise<Response> {
  const viewer = await viewerOf(call);
  return answerWrite(call, 200, async (tx) => {
    await requireMatch(call, () => locked(viewer, tx, id));
    const { lot, shortfalls } = await work(tx);
    return detail(viewer, tx, lot, { backordered_orders: shortfallsView(shortfalls) });
  });
}

async function detail(viewer: ViewerWithUsers, db: Db, lot: NamedLot, more: object = {}) {
  const units = await listLotUnits(db, [lot.id]);
  const changes = await withActorsFor(db, viewer, await listLotChanges(db, lot.id));
  const at = { zones: await zonesOf(db, units), now: db.now };
  const view = lotDetail(lot, units, changes, at, showsBins(viewer));
  return tagged({ ...view, ...more }, lot.revision, view);
}
