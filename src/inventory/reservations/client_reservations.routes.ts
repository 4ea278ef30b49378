import { iso } from "../../core/clock.ts";
import { assert, missing } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { answerBatched, type BatchableCommand } from "../../http/batching.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { tagged } from "../../http/preconditions.ts";
import { list, read, respond, routes, write } from "../../http/routes.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { reservationTransitions } from "../inventory.transitions.ts";
import {
  ExtendReservation,
  ReleasedReservationView,
  ReleaseReservation,
  ReservationView,
  ReserveStock,
} from "./client_reservation.schema.ts";
import { findOrderNumber } from "./client_reservations.sql.ts";
import {
  extendClientReservation,
  releaseClientReservation,
  reserveBatch,
  reserveStock,
} from "./client_reservations.ts";
import { lockStock } from "./locked_stock.ts";
import { type Reservation, reservationView } from "./reservation.ts";
import { findReservation, listLines, reservationList, reservedUnits } from "./reservations.sql.ts";

const reserving: BatchableCommand<ReserveStock, Awaited<ReturnType<typeof reserveStock>>> = {
  name: "reserveInventory",
  status: 201,
  weight: ({ items }) => items.length,
  runOne: (tx, { input }) => reserveStock(tx, input),
  runBatch: (tx, parts) =>
    reserveBatch(
      tx,
      parts.map(({ input }) => input),
    ),
  view: (reservation, { now }) => tagged(reservationView(reservation, reservation.units, now), null),
};

/** Reservations made by clients: create, extend, release and read. */
export const clientReservationRoutes = routes("Reservations", [
  respond("POST", "/inventory/reserve", "stock.write", {
    id: "reserveInventory",
    summary: "Reserve inventory for an order",
    description:
      "Holds stock for an order before it is created, such as during a checkout: everything or nothing. An order" +
      " with this number, or with the `reservation_id`, takes the units over. For an order that exists, its own" +
      " reservation is returned. A second request for a future order reserves more. Emits `inventory.updated` for" +
      " each SKU.",
    refuses: [
      "ambiguous_identifier",
      "insufficient_inventory",
      "reservation_closed",
      "reservation_committed",
      "resource_missing",
    ],
    tagged: true,
    body: ReserveStock,
    answers: { 201: EnvelopedView(ReservationView) },
    answer: ({ call, body }) => answerBatched(call, reserving, body),
  }),
  write("POST", "/inventory/release", "stock.write", {
    id: "releaseInventory",
    summary: "Release a reservation",
    description:
      "Returns the units of a reservation to the available stock, where backordered orders get them first." +
      " Reservations of orders are refused: cancel the order or put it on hold. Releasing it again changes nothing." +
      " Emits `inventory.updated` for each SKU.",
    refuses: ["reservation_closed", "reservation_committed", "resource_missing"],
    body: ReleaseReservation,
    view: ReleasedReservationView,
    act: async (tx, { body }) => {
      const { id, released_at } = await releaseClientReservation(tx, body.reservation_id);
      const { to: status } = reservationTransitions.release;
      return { reservation_id: wireId("reservation", id), status, released_at: iso(released_at ?? 0) };
    },
  }),
  write("POST", "/inventory/reservations/:id/extend", "stock.write", {
    id: "extendReservation",
    summary: "Extend a reservation",
    description:
      "Moves the expiry of a reservation to a later time, such as while a buyer is still paying. Only open" +
      " reservations without an order can be extended. Sending the current expiry changes nothing.",
    refuses: ["reservation_closed", "reservation_committed"],
    tagged: true,
    body: ExtendReservation,
    view: ReservationView,
    matches: (tx, { params }) => locked(tx, params.id),
    act: async (tx, { params, body }) => reservationResponse(tx, await extendClientReservation(tx, params.id, body)),
  }),
  read("/inventory/reservations/:id", "stock.read", {
    id: "getReservation",
    summary: "Get a reservation",
    description:
      "The reservation with the units that it holds in each warehouse. One past its expiry shows as `expired` at" +
      " once.",
    tagged: true,
    view: ReservationView,
    data: (db, { params }) => detail(db, params.id),
  }),
  list("/inventory/reservations", "stock.read", {
    id: "listReservations",
    summary: "List reservations",
    description:
      "Reservations of orders and of clients, newest first, including those that are over." +
      " `status=reserved,committed` lists those that can hold stock.",
    refuses: ["ambiguous_identifier"],
    of: reservationList,
    view: ReservationView,
    // An order number that is also another order's id is refused.
    prepare: async ({ call, query: { order_id = [] } }) => {
      for (const name of order_id) await call.store.read((db) => findOrderNumber(db, name, null));
    },
    views: (reservations, db) => views(db, reservations),
  }),
]);

async function detail(db: Db, id: string) {
  const reservation = await findReservation(db, readId("reservation", id) ?? 0);
  if (reservation === null) throw missing("reservation", id);
  return reservationResponse(db, reservation);
}

/** As `detail`, with the reservation's stock locked, as every change of a reservation requires. */
async function locked(tx: Tx, id: string) {
  const lines = await listLines(tx, [readId("reservation", id) ?? 0]);
  await lockStock(
    tx,
    lines.map(({ product_id }) => product_id),
  );
  return detail(tx, id);
}

/**
 * A reservation as a single-resource response shows it. It has no revision, since time and stock change what it holds.
 */
async function reservationResponse(db: Db, reservation: Reservation) {
  const [view] = await views(db, [reservation]);
  assert(view, "each reservation has a view");
  return tagged(view, null);
}

async function views(db: Db, reservations: readonly Reservation[]) {
  const units = await reservedUnits(
    db,
    reservations.map(({ id }) => id),
  );
  const of = Map.groupBy(units, (unit) => unit.reservation_id);
  return reservations.map((reservation) => reservationView(reservation, of.get(reservation.id) ?? [], db.now));
}
