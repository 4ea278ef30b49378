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
import { followNumber, noSuchAccount } from "./follow_number.ts";
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

/** Numbers tracked on request, and the list of all that is tracked. */
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
    const accounts = await listUndeletedAccounts(tx);
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

const rowView = (tracked: TrackedNumber) => ({
  ...trackedView(tracked),
  created_at: iso(tracked.record.created_at),
  updated_at: iso(tracked.record.updated_at),
});

async function filterOf(call: Call, { status, carrier, order_id, followed }: ExportTracked): Promise<TrackedFilter> {
  return { status, carrier, order_id: await orderOf(call, order_id), followed };
}

/** The file of the records that match, newest first. */
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

/** The order that a filter names. If there is none: 0, the id of no order, so that the list is empty. */
async function orderOf(call: Call, name: string | undefined): Promise<number | undefined> {
  if (name === undefined) return undefined;
  return (await call.store.read((db) => findOrderId(db, name, "order_id"))) ?? 0;
}

const BatchView = closed({
  success: Type.Literal(true),
  data: Type.Array(TrackedView),
  meta: closed({ ...MetaView.properties, requested: Type.Integer(), found: Type.Integer() }),
});

/** Tracking: of one parcel, of many at once, scans by people, and numbers tracked on request. */
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
          "An unknown number is answered 404, with the carriers that it may belong to in" +
          " `detected_carriers`: all that fit by form and check digit. If none fits, `wrong_check_digits` lists the" +
          " forms that it has with another check digit. `POST /tracking` starts to track such a number.",
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
          " that after `delivered` only `returned` changes it, and after `returned` nothing does: carriers end a" +
          " return to the sender with `delivered`, which does not deliver the order.",
        answers: { 201: EnvelopedView(TrackingView) },
      }),
    },
  );

/** Scans that wait at the same moment are recorded together. */
const scanning: BatchableCommand<{ readonly number: string; readonly scan: RecordScan }, TrackingHistory> = {
  name: "recordScan",
  status: 201,
  // A first scan takes all units of a parcel out of stock.
  weight: () => 5,
  alone: async (tx, { input: { number, scan }, call }) => {
    return historyOf(tx, await recordScan(tx, number, scan, call.actor));
  },
  together: (tx, parts) =>
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

/** Why the house is not told of a number that several merchants know, as `GET /tracking/:tracking_number` says it. */
function shared(number: string) {
  const { code, message } = merchantRequired(`${number} is known to several merchants`);
  return { code, message, detected_carriers: [], wrong_check_digits: [] };
}

/** Answers each number in the order of the request, found or not. */
function trackMany(call: Call, numbers: readonly string[]): Promise<Response> {
  const read = (db: Parameters<typeof findHistories>[0]) => findHistories(db, numbers.map(plainTrackingNumber));
  return answerRead(call, read, (found, request_id, now) => {
    const histories = found as Awaited<ReturnType<typeof read>>;
    const data = numbers.map((tracking_number) => {
      const number = plainTrackingNumber(tracking_number);
      const [history, ...others] = histories.get(number) ?? [];
      if (history !== undefined && others.length === 0)
        return { tracking_number, success: true, tracking: trackingView(history), error: null };
      const error = history === undefined ? unknown(tracking_number) : shared(tracking_number);
      return { tracking_number, success: false, tracking: null, error };
    });
    const counts = { requested: numbers.length, found: data.filter(({ success }) => success).length };
    return { success: true, data, meta: { ...metaOf(request_id, now), ...counts } };
  });
}
