import { Elysia } from "elysia";
import { answerWrite } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { answerCsv, type CsvFile, pagesOf } from "../../http/csv.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/paging.ts";
import { tagged } from "../../http/preconditions.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import { iso } from "../../kit/clock.ts";
import { bodyOf, queryOf } from "../../kit/schema.ts";
import { findOrderId } from "../../orders/names/store.ts";
import { listKeptAccounts } from "../../shipping/accounts/store.ts";
import { outsideCarriersOf } from "../../shipping/carriers/table.ts";
import { getHistory } from "../histories/store.ts";
import { formOf } from "../numbers/unknown.ts";
import { trackedView, trackingView } from "../record.ts";
import { FollowedView, TrackedRecordView } from "../schemas.ts";
import { followNumber, noSuchAccount } from "./commands.ts";
import { ExportTracked, FollowNumber, ListTracked } from "./schemas.ts";
import { countTracked, listTracked, type Tracked, type TrackedFilter } from "./store.ts";

/** Numbers tracked on request, and the list of all that is tracked. */
export const followingRoutes = (service: Service) =>
  new Elysia()
    .use(conventions)
    .post("", ({ call, body }) => follow(call, body, service), {
      body: bodyOf(FollowNumber),
      detail: documented({
        id: "followNumber",
        needs: "tracking.write",
        chapter: "Tracking",
        tagged: true,
        summary: "Start tracking a number",
        description:
          "A number that is tracked already, or is a parcel's, keeps its record. A number on a label of the" +
          " warehouse's own can be tracked only by the merchant that sends the parcel; for anyone else, and before" +
          " such a label is bought, it is refused with `resource_missing`. A carrier account that sells for" +
          " the number's carrier is asked to report on it, soon after the answer; without one the number waits for" +
          " scans. `detected_carriers` lists all carriers that the number may belong to; if there are several, name" +
          " the carrier. A number whose check digit is wrong is tracked all the same, and `wrong_check_digits` says" +
          " so. News is sent as the events of shipments, with a null `id`. In the sandbox the test numbers of" +
          " carriers are known (`EZ1000000001` to `EZ7000000007`, `SHIPPO_TRANSIT` and the like)," +
          " and a `SIM` number plays its days, ten seconds each, from then on; one that ends in `EXC` is" +
          " held up on its way, one that ends in `RTS` comes back.",
        refuses: ["ambiguous_identifier", "resource_missing"],
        answers: { 201: EnvelopedView(FollowedView) },
      }),
    })
    .get("", ({ call, query }) => list(call, query), {
      query: queryOf(ListTracked),
      detail: documented({
        id: "listTracked",
        needs: "tracking.read",
        chapter: "Tracking",
        summary: "List tracked parcels",
        refuses: ["ambiguous_identifier"],
        answers: { 200: ListView(TrackedRecordView) },
      }),
    })
    .get("/export.csv", async ({ call, query }) => answerCsv(call, trackedExport(await filterOf(call, query)), query), {
      query: queryOf(ExportTracked),
      detail: documented({
        id: "exportTracked",
        needs: "tracking.read",
        chapter: "Tracking",
        summary: "Export tracked parcels as CSV",
        refuses: ["ambiguous_identifier"],
        documents: ["text/csv"],
        answers: { 200: null },
      }),
    });

function follow(call: Call, body: FollowNumber, service: Service): Promise<Response> {
  // Accounts are the operator's: a merchant is refused one as if there were none.
  if (call.merchant_id !== null && body.account_id != null) throw noSuchAccount();
  const connectors = outsideCarriersOf(service);
  return answerWrite(call, 201, async (tx) => {
    const accounts = await listKeptAccounts(tx);
    const followers = accounts.filter(({ connector }) => connectors[connector]?.capabilities.has("tracking"));
    const tracking_number = await followNumber(tx, body, followers, call.actor);
    const history = await getHistory(tx, tracking_number);
    const { followed, version } = history.record;
    const form = followed ? formOf(tracking_number, body.carrier ?? null) : unread;
    return tagged({ ...trackingView(history), ...form }, version);
  });
}

/** A parcel's carrier is known, so nothing is read from its number. */
const unread: ReturnType<typeof formOf> = { detected_carriers: [], wrong_check_digits: [] };

async function list(call: Call, query: ListTracked): Promise<Response> {
  const filter = await filterOf(call, query);
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listTracked(db, filter, window),
      count: (db) => countTracked(db, filter),
      position: ({ record }) => [record.id, record.id],
    },
    (rows) => rows.map(rowView),
  );
}

const rowView = (tracked: Tracked) => ({
  ...trackedView(tracked),
  created_at: iso(tracked.record.created_at),
  updated_at: iso(tracked.record.updated_at),
});

async function filterOf(call: Call, { status, carrier, order_id, followed }: ExportTracked): Promise<TrackedFilter> {
  return { status, carrier, order_id: await orderOf(call, order_id), followed };
}

/** The file of the records that match, newest first. */
export function trackedExport(filter: TrackedFilter): CsvFile<Tracked> {
  return {
    name: "tracking.csv",
    columns: trackedColumns,
    page: pagesOf((db, last, limit) => {
      const after = last === null ? null : ([last.record.id, last.record.id] as const);
      return listTracked(db, filter, { limit, offset: 0, after });
    }),
    cells: (tracked) => {
      const view = rowView(tracked);
      return trackedColumns.map((name) => view[name]);
    },
  };
}

const trackedColumns = [
  "tracking_number",
  "status",
  "status_detail",
  "carrier",
  "service_type",
  "order_id",
  "shipment_id",
  "tracking_url",
  "estimated_delivery",
  "message",
  "next_look_at",
  "created_at",
  "updated_at",
] as const;

/** The order that a filter names. If there is none: 0, the id of no order, so that the list is empty. */
async function orderOf(call: Call, name: string | undefined): Promise<number | undefined> {
  if (name === undefined) return undefined;
  return (await call.store.read((db) => findOrderId(db, name, "order_id"))) ?? 0;
}
