import { type Static, Type } from "@sinclair/typebox";
import { iso } from "../core/clock.ts";
import { closed } from "../core/schema.ts";
import { answerBatched, type BatchableCommand } from "../http/batching.ts";
import type { Call } from "../http/call.ts";
import { type CsvFile, pagesOf } from "../http/csv_response.ts";
import { EnvelopedView, MetaView, metaOf } from "../http/envelope.ts";
import { tagged } from "../http/preconditions.ts";
import { answerRead } from "../http/response.ts";
import { exportCsv, list, read, respond, routes, write } from "../http/routes.ts";
import type { Service } from "../http/service.ts";
import { plainTrackingNumber } from "../orders/fulfillment/tracking_url.ts";
import { listTrackingAccounts } from "../shipping/carriers/accounts.ts";
import type { Db, Tx } from "../storage/database.ts";
import { merchantRequired } from "../storage/tenant.ts";
import { followNumber, unknownTrackingAccount } from "./follow_number.ts";
import { formOf } from "./number_formats.ts";
import { recordScan, recordScans } from "./record_scan.ts";
import {
  ChooseShape,
  FollowedView,
  FollowNumber,
  RecordScan,
  ShortTrackingView,
  TrackedRecordView,
  TrackedView,
  TrackingView,
  TrackMany,
} from "./tracking.schema.ts";
import { findHistories, getHistory, historyOf, type TrackedNumber, trackedList } from "./tracking_history.sql.ts";
import { shortTrackingView, type TrackingHistory, trackedView, trackingView } from "./tracking_record.ts";

/** Routes of tracking on request, and of the list of tracked numbers. */
const followingRows = (service: Service) => [
  write("POST", "/tracking", "tracking.write", {
    id: "followNumber",
    summary: "Track a number",
    description:
      "Tracks any number, such as one of a label bought elsewhere. A known number keeps its record and gains the" +
      " facts that it lacks. A carrier account that sells the carrier's labels is asked to track it; without one, it" +
      " waits for recorded scans. Status changes emit shipment events with a null `id`. Test numbers of carriers" +
      " work in test data.",
    refuses: ["ambiguous_identifier", "resource_missing"],
    tagged: true,
    body: FollowNumber,
    view: FollowedView,
    status: 201,
    act: (tx, { call, body }) => follow(tx, call, body, service),
  }),
  list("/tracking", "tracking.read", {
    id: "listTracked",
    summary: "List tracked parcels",
    description:
      "Lists all tracked numbers, newest first and without scans: parcels with a label or a scan, return labels, and" +
      " numbers tracked on request.",
    refuses: ["ambiguous_identifier"],
    of: trackedList,
    view: TrackedRecordView,
    views: (tracked) => tracked.map(rowView),
  }),
  exportCsv("/tracking/export.csv", "tracking.read", {
    id: "exportTracked",
    summary: "Export tracked parcels as CSV",
    description:
      "Takes the filters of `GET /tracking` and returns one line for each number, newest first, with its status but" +
      " without scans.",
    refuses: ["ambiguous_identifier"],
    query: trackedList.export_query,
    file: ({ query }) => trackedExport(query),
  }),
];

async function follow(tx: Tx, call: Call, body: FollowNumber, service: Service) {
  // Merchants cannot name an account, since all accounts are the operator's.
  if (call.merchant_id !== null && body.account_id != null) throw unknownTrackingAccount();
  const tracking_number = await followNumber(tx, body, await listTrackingAccounts(tx, service), call.actor);
  const history = await getHistory(tx, tracking_number);
  const { followed, revision } = history.record;
  const form = followed ? formOf(tracking_number, body.carrier ?? null) : not_detected;
  return tagged({ ...trackingView(history), ...form }, revision);
}

/** The carrier of a parcel is known, so it is not detected from the number. */
const not_detected: ReturnType<typeof formOf> = { detected_carriers: [], wrong_check_digits: [] };

const rowView = (tracked: TrackedNumber) => ({
  ...trackedView(tracked),
  created_at: iso(tracked.record.created_at),
  updated_at: iso(tracked.record.updated_at),
});

/** Returns the CSV export of matching records, newest first. */
export function trackedExport(query: Static<typeof trackedList.export_query>): CsvFile<TrackedNumber> {
  return {
    name: "tracking.csv",
    columns: trackedColumns,
    page: pagesOf((db, last, limit) => trackedList.after(db, query, last, limit)),
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
  "next_poll_at",
  "created_at",
  "updated_at",
] as const;

const BatchView = closed({
  success: Type.Literal(true),
  data: Type.Array(TrackedView),
  meta: closed({
    ...MetaView.properties,
    requested: Type.Integer({ description: "The number of tracking numbers in the request." }),
    found: Type.Integer({ description: "The number of those that were found." }),
  }),
});

const parcelRows = [
  read("/tracking/:tracking_number", "tracking.read", {
    id: "track",
    summary: "Track a parcel",
    description:
      "Returns the status of a number and all scans, newest first. An unknown number is 404 with" +
      " `detected_carriers`, all carriers whose form and check digit it has, or with `wrong_check_digits` if only" +
      " the check digit is wrong. `POST /tracking` tracks such a number.",
    tagged: true,
    query: ChooseShape,
    view: Type.Union([TrackingView, ShortTrackingView]),
    data: async (db, { params, query }) => {
      const history = await getHistory(db, plainTrackingNumber(params.tracking_number));
      const { revision } = history.record;
      return query.shape === "a"
        ? tagged(shortTrackingView(history), revision)
        : tagged(trackingView(history), revision);
    },
  }),
  respond("POST", "/tracking/batch", "tracking.read", {
    id: "trackMany",
    summary: "Track up to 100 parcels",
    description:
      "Returns one result for each number, in the order of the request. Unknown numbers have an `error` instead of" +
      " `tracking`, and the response is still 200; `meta.found` counts the others.",
    body: TrackMany,
    answers: { 200: BatchView },
    answer: ({ call, body }) => trackMany(call, body.tracking_numbers),
  }),
  respond("POST", "/tracking/:tracking_number/events", "tracking.write", {
    id: "recordScan",
    summary: "Record a scan of a parcel",
    description:
      "Any scan but `pending` and `exception` ships the parcel, and `delivered` delivers it, whatever the order's" +
      " status. The newest scan decides the status, but after `delivered` only `returned` changes it, and nothing" +
      " after that. A change emits `shipment.tracking_updated` and the event of the status. A repeated scan is" +
      " ignored.",
    tagged: true,
    body: RecordScan,
    answers: { 201: EnvelopedView(TrackingView) },
    answer: ({ call, params, body }) => answerBatched(call, scanning, { number: params.tracking_number, scan: body }),
  }),
];

/** Routes of tracking: single numbers, batches, manual scans, and tracking on request. */
export const trackingRoutes = (service: Service) => routes("Tracking", [...followingRows(service), ...parcelRows]);

/** Concurrent scans are recorded in batches. */
const scanning: BatchableCommand<{ readonly number: string; readonly scan: RecordScan }, TrackingHistory> = {
  name: "recordScan",
  status: 201,
  // A first scan takes all units of a parcel out of stock.
  weight: () => 5,
  runOne: async (tx, { input: { number, scan }, call }) =>
    historyOf(tx, await recordScan(tx, number, scan, call.actor)),
  runBatch: (tx, parts) =>
    recordScans(
      tx,
      parts.map(({ input, call }) => ({ ...input, actor: call.actor })),
    ),
  view: (history) => tagged(trackingView(history), history.record.revision),
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
  const find = (db: Db) => findHistories(db, numbers.map(plainTrackingNumber));
  return answerRead(call, find, (result, request_id, now) => {
    const histories = result as Awaited<ReturnType<typeof find>>;
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
