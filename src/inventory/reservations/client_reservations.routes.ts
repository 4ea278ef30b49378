import { Elysia } from "elysia";
import { iso } from "../../core/clock.ts";
import { assert, missing } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { bodyOf, queryOf } from "../../core/schema.ts";
import { answerBatched, type BatchableCommand } from "../../http/batching.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/pagination.ts";
import { requireMatch, tagged } from "../../http/preconditions.ts";
import { answerRead, answerWrite } from "../../http/response.ts";
import { documented } from "../../http/route.ts";
import type { Db, Tx } from "../../storage/database.ts";
import {
  ExtendReservation,
  ListReservations,
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
import {
  countReservations,
  findReservation,
  listLines,
  listReservations,
  longReservations,
  reservedUnits,
} from "./reservations.sql.ts";

const reserving: BatchableCommand<ReserveStock, Awaited<ReturnType<typeof reserveStock>>> = {
  name: "reserveInventory",
  status: 201,
  weight: ({ items }) => items.length,
  runOne: (tx, { input }) => reserveStock(tx, input),
  runBatch: (tx, parts) => {
    return reserveBatch(
      tx,
      parts.map(({ input }) => input),
    );
  },
  view: (reservation, { now }) => tagged(reservationView(reservation, reservation.units, now), null),
};

/** Reservations made by clients: create, extend, release and read. */
export const clientReservationRoutes = new Elysia({ prefix: "/inventory" })
  .use(conventions)
  .post("/reserve", ({ call, body }) => answerBatched(call, reserving, body), {
    body: bodyOf(ReserveStock),
    detail: documented({
      id: "reserveInventory",
      needs: "stock.write",
      chapter: "Reservations",
      tagged: true,
      summary: "Reserve inventory for an order",
      refuses: [
        "ambiguous_identifier",
        "insufficient_inventory",
        "reservation_closed",
        "reservation_committed",
        "resource_missing",
      ],
      answers: { 201: EnvelopedView(ReservationView) },
    }),
  })
  .post(
    "/release",
    ({ call, body }) =>
      answerWrite(call, 200, async (tx) => {
        const { id, status, released_at } = await releaseClientReservation(tx, body.reservation_id);
        return { reservation_id: wireId("reservation", id), status, released_at: iso(released_at ?? 0) };
      }),
    {
      body: bodyOf(ReleaseReservation),
      detail: documented({
        id: "releaseInventory",
        needs: "stock.write",
        chapter: "Reservations",
        summary: "Release a reservation",
        refuses: ["reservation_closed", "reservation_committed", "resource_missing"],
        answers: { 200: EnvelopedView(ReleasedReservationView) },
      }),
    },
  )
  .post(
    "/reservations/:id/extend",
    ({ call, params, body }) =>
      answerWrite(call, 200, async (tx) => {
        await requireMatch(call, () => locked(tx, params.id));
        return reservationResponse(tx, await extendClientReservation(tx, params.id, body));
      }),
    {
      body: bodyOf(ExtendReservation),
      detail: documented({
        id: "extendReservation",
        needs: "stock.write",
        chapter: "Reservations",
        matches: true,
        tagged: true,
        summary: "Extend a reservation",
        refuses: ["reservation_closed", "reservation_committed"],
        answers: { 200: EnvelopedView(ReservationView) },
      }),
    },
  )
  .get("/reservations/:id", ({ call, params }) => answerRead(call, (db) => detail(db, params.id)), {
    detail: documented({
      id: "getReservation",
      needs: "stock.read",
      chapter: "Reservations",
      tagged: true,
      summary: "Get a reservation",
      answers: { 200: EnvelopedView(ReservationView) },
    }),
  })
  .get("/reservations", ({ call, query }) => list(call, query), {
    query: queryOf(ListReservations),
    detail: documented({
      id: "listReservations",
      needs: "stock.read",
      chapter: "Reservations",
      summary: "List reservations",
      refuses: ["ambiguous_identifier"],
      answers: { 200: ListView(ReservationView) },
    }),
  });

async function list(call: Call, query: ListReservations): Promise<Response> {
  const { status, order_id, sku } = query;
  if (order_id !== undefined) await call.store.read((db) => findOrderNumber(db, order_id, null));
  const filter = {
    status,
    sku,
    order_ref: order_id,
    order_id: order_id === undefined ? undefined : (readId("order", order_id) ?? undefined),
  };
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listReservations(db, filter, window),
      count: (db) => countReservations(db, filter),
      position: ({ created_at, id }) => [created_at, id],
      long: longReservations,
    },
    (reservations, db) => views(db, reservations),
  );
}

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
 * A reservation as a single-resource response shows it. It has no version, since time and stock change what it holds.
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
