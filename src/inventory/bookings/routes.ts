import { Elysia } from "elysia";
import type { Db } from "../../database/store.ts";
import { answerWrite } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/paging.ts";
import { documented } from "../../http/route.ts";
import { iso } from "../../kit/clock.ts";
import { readId, wireId } from "../../kit/ids.ts";
import { bodyOf, queryOf } from "../../kit/schema.ts";
import { type Reservation, reservationView } from "../reservations/reservation.ts";
import { countReservations, listReservations, reservedUnits } from "../reservations/store.ts";
import { bookStock, releaseBooking } from "./commands.ts";
import { BookingView, BookStock, ListBookings, ReleaseBooking, ReleasedView } from "./schemas.ts";

/** Reservations: make one, release it, list them. */
export const bookingRoutes = new Elysia({ prefix: "/inventory" })
  .use(conventions)
  .post(
    "/reserve",
    ({ call, body }) =>
      answerWrite(call, 201, async (tx) => {
        const [view] = await views(tx, [await bookStock(tx, body)]);
        return view;
      }),
    {
      body: bodyOf(BookStock),
      detail: documented({
        id: "reserveInventory",
        summary: "Reserve inventory for an order",
        answers: { 201: EnvelopedView(BookingView) },
      }),
    },
  )
  .post(
    "/release",
    ({ call, body }) =>
      answerWrite(call, 200, async (tx) => {
        const { id, released_at } = await releaseBooking(tx, body.reservation_id);
        return { reservation_id: wireId("reservation", id), status: "released", released_at: iso(released_at ?? 0) };
      }),
    {
      body: bodyOf(ReleaseBooking),
      detail: documented({
        id: "releaseInventory",
        summary: "Release a reservation",
        answers: { 200: EnvelopedView(ReleasedView) },
      }),
    },
  )
  .get("/reservations", ({ call, query }) => list(call, query), {
    query: queryOf(ListBookings),
    detail: documented({
      id: "listReservations",
      summary: "List reservations",
      answers: { 200: ListView(BookingView) },
    }),
  });

function list(call: Call, query: ListBookings): Promise<Response> {
  const { status, order_id } = query;
  const filter = {
    status,
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
    },
    (reservations, db) => views(db, reservations),
  );
}

async function views(db: Db, reservations: readonly Reservation[]) {
  const units = await reservedUnits(
    db,
    reservations.map(({ id }) => id),
  );
  const of = Map.groupBy(units, (unit) => unit.reservation_id);
  return reservations.map((reservation) => reservationView(reservation, of.get(reservation.id) ?? [], db.now));
}
