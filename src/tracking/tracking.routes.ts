import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { iso } from "../core/clock.ts";
import { bodyOf, closed, queryOf } from "../core/schema.ts";
import { answerBatched, type BatchableCommand } from "../http/batching.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { answerCsv, type CsvFile, pagesOf } from "../http/csv_response.ts";
import { EnvelopedView, ListView, MetaView, metaOf } from "../http/envelope.ts";
import { answerList } from "../http/pagination.ts";
import { tagged } from "../http/preconditions.ts";
import { answerRead, answerWrite } from "../http/response.ts";
import { documented } from "../http/route.ts";
import type { Service } from "../http/service.ts";
import { plainTrackingNumber } from "../orders/fulfillment/tracking_url.ts";
import { findOrderId } from "../orders/lifecycle/order_lookup.sql.ts";
import { listUndeletedAccounts } from "../shipping/carriers/accounts.sql.ts";
import { outsideCarriersOf } from "../shipping/carriers/connectors.ts";
import { merchantRequired } from "../storage/tenant.ts";
import { followNumber, unknownTrackingAccount } from "./follow_number.ts";
import { formOf } from "./number_formats.ts";
import { recordScan, recordScans } from "./record_scan.ts";
import {
  ChooseShape,
  ExportTracked,
  FollowedView,
  FollowNumber,
  ListTracked,
  RecordScan,
  ShortTrackingView,
  TrackedRecordView,
  TrackedView,
  TrackingView,
  TrackMany,
} from "./tracking.schema.ts";
import {
  countTracked,
  findHistories,
  getHistory,
  historyOf,
  listTracked,
  type TrackedFilter,
  type TrackedNumber,
} from "./tracking_history.sql.ts";
import { shortTrackingView, type TrackingHistory, trackedView, trackingView } from "./tracking_record.ts";

/** Routes of tracking on request, and of the list of tracked numbers. */
const followingRoutes = (service: Service) =>
  new Elysia()
    .use(conventions)
    .post("", ({ call, body }) => follow(call, body, service), {
      body: bodyOf(FollowNumber),
      detail: documented({
        id: "followNumber",
        needs: "tracking.write",
        chapter: "Tracking",
        tagged: true,
        summary: "Track a number",
        description:
          "A number that is already tracked, or is a parcel's, keeps its record. A number on one of the" +
          " warehouse's own labels can be tracked only by the merchant that sends the parcel; for others, and before" +
          " the label is bought, it is refused with `resource_missing`. A carrier account that sells labels of" +
          " the number's carrier is asked to track it shortly after the response; without one the number waits for" +
          " scans. `detected_carriers` lists all carriers that the number may belong to; if there are several, send" +
          " `carrier`. A number with a wrong check digit is tracked too, and `wrong_check_digits` reports" +
          " it. Updates are sent as shipment events with a null `id`. In the sandbox the test numbers of" +
          " carriers work (`EZ1000000001` to `EZ7000000007`, `SHIPPO_TRANSIT` and the like)," +
          " and the journey of a `SIM` number starts, with ten seconds for each day. A number that ends in `EXC` is" +
          " delayed, and one that ends in `RTS` comes back.",
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
  // Merchants cannot name an account, since all accounts are the operator's.
  if (call.merchant_id !== null && body.account_id != null) throw unknownTrackingAccount();
  const connectors = outsideCarriersOf(service);
  return answerWrite(call, 201, async (tx) => {
    const accounts = await listUndeletedAccounts(tx);
    const tracking_accounts = accounts.filter(({ connector }) => connectors[connector]?.capabilities.has("tracking"));
    const tracking_number = await followNumber(tx, body, tracking_accounts, call.actor);
    const history = await getHistory(tx, tracking_number);
    const { followed, version } = history.record;
    const form = followed ? formOf(tracking_number, body.carrier ?? null) : not_detected;
    return tagged({ ...trackingView(history), ...form }, version);
  });
}

/** The carrier of a parcel is known, so it is not detected from the number. */
const not_detected: ReturnType<typeof formOf> = { detected_carriers: [], wrong_check_digits: [] };

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

const rowView = (tracked: TrackedNumber) => ({
  ...trackedView(tracked),
  created_at: iso(tracked.record.created_at),
  updated_at: iso(tracked.record.updated_at),
});

async function filterOf(call: Call, { status, carrier, order_id, followed }: ExportTracked): Promise<TrackedFilter> {
  return { status, carrier, order_id: await orderOf(call, order_id), followed };
}

/** Returns the CSV export of matching records, newest first. */
export function trackedExport(filter: TrackedFilter): CsvFile<TrackedNumber> {
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

/** The order of a filter. An unknown order is 0, which no order has, so that the list is empty. */
async function orderOf(call: Call, name: string | undefined): Promise<number | undefined> {
  if (name === undefined) return undefined;
  return (await call.store.read((db) => findOrderId(db, name, "order_id"))) ?? 0;
}

const BatchView = closed({
  success: Type.Literal(true),
  data: Type.Array(TrackedView),
  meta: closed({ ...MetaView.properties, requested: Type.Integer(), found: Type.Integer() }),
});

/** Routes of tracking: single numbers, batches, manual scans, and tracking on request. */
export const trackingRoutes = (service: Service) =>
  new Elysia({ prefix: "/tracking" }).use(conventions).use(followingRoutes(service)).use(parcelRoutes);

const parcelRoutes = new Elysia()
  .use(conventions)
  .get(
    "/:tracking_number",
    ({ call, params, query }) =>
      answerRead(call, async (db) => {
        const history = await getHistory(db, plainTrackingNumber(params.tracking_number));
        const { version } = history.record;
        return query.shape === "a"
          ? tagged(shortTrackingView(history), version)
          : tagged(trackingView(history), version);
      }),
    {
      query: queryOf(ChooseShape),
      detail: documented({
        id: "track",
        needs: "tracking.read",
        chapter: "Tracking",
        tagged: true,
        summary: "Track a parcel",
        description:
          "An unknown number returns 404, with the carriers that it may belong to in" +
          " `detected_carriers`: all that match by form and check digit. If none matches, `wrong_check_digits`" +
          " lists the" +
          " forms that it matches except for the check digit. `POST /tracking` tracks such a number.",
        answers: { 200: EnvelopedView(Type.Union([TrackingView, ShortTrackingView])) },
      }),
    },
  )
  .post("/batch", ({ call, body }) => trackMany(call, body.tracking_numbers), {
    body: bodyOf(TrackMany),
    detail: documented({
      id: "trackMany",
      needs: "tracking.read",
      chapter: "Tracking",
      summary: "Track up to 100 parcels",
      answers: { 200: BatchView },
    }),
  })
  .post(
    "/:tracking_number/events",
    ({ call, params, body }) => answerBatched(call, scanning, { number: params.tracking_number, scan: body }),
    {
      body: bodyOf(RecordScan),
      detail: documented({
        id: "recordScan",
        needs: "tracking.write",
        chapter: "Tracking",
        tagged: true,
        summary: "Record a scan of a parcel",
        description:
          "The first scan ships the parcel, and `delivered` delivers it. The newest scan decides the status, except" +
          " that after `delivered` only `returned` changes it, and after `returned` nothing does. Carriers end a" +
          " return to sender with `delivered`, which does not deliver the order.",
        answers: { 201: EnvelopedView(TrackingView) },
      }),
    },
  );

/** Concurrent scans are recorded in batches. */
const scanning: BatchableCommand<{ readonly number: string; readonly scan: RecordScan }, TrackingHistory> = {
  name: "recordScan",
  status: 201,
  // A first scan takes all units of a parcel out of stock.
  weight: () => 5,
  runOne: async (tx, { input: { number, scan }, call }) => {
    return historyOf(tx, await recordScan(tx, number, scan, call.actor));
  },
  runBatch: (tx, parts) =>
    recordScans(
      tx,
      parts.map(({ input, call }) => ({ ...input, actor: call.actor })),
    ),
  view: (history) => tagged(trackingView(history), history.record.version),
};

const unknown = (number: string) => ({
  code: "resource_missing",
  message: `No such tracking number: ${number}.`,
  ...formOf(plainTrackingNumber(number), null),
});

/** The error for an operator who queries a number of several merchants, as in `GET /tracking/:tracking_number`. */
function sharedNumber(number: string) {
  const { code, message } = merchantRequired(`Several merchants have ${number}`);
  return { code, message, detected_carriers: [], wrong_check_digits: [] };
}

/** Returns the result of each number in the order of the request. */
function trackMany(call: Call, numbers: readonly string[]): Promise<Response> {
  const read = (db: Parameters<typeof findHistories>[0]) => findHistories(db, numbers.map(plainTrackingNumber));
  return answerRead(call, read, (result, request_id, now) => {
    const histories = result as Awaited<ReturnType<typeof read>>;
    const data = numbers.map((tracking_number) => {
      const number = plainTrackingNumber(tracking_number);
      const [history, ...others] = histories.get(number) ?? [];
      if (history !== undefined && others.length === 0)
        return { tracking_number, success: true, tracking: trackingView(history), error: null };
      const error = history === undefined ? unknown(tracking_number) : sharedNumber(tracking_number);
      return { tracking_number, success: false, tracking: null, error };
    });
    const counts = { requested: numbers.length, found: data.filter(({ success }) => success).length };
    return { success: true, data, meta: { ...metaOf(request_id, now), ...counts } };
  });
}
