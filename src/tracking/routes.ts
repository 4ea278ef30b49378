import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { answerRead } from "../http/answer.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { EnvelopedView, MetaView, metaOf } from "../http/envelope.ts";
import { tagged } from "../http/preconditions.ts";
import { documented } from "../http/route.ts";
import type { Service } from "../http/service.ts";
import { answerTogether, type SharedAct } from "../http/together.ts";
import { bodyOf, closed, queryOf } from "../kit/schema.ts";
import { plainTrackingNumber } from "../orders/shipments/tracking_number.ts";
import { merchantRequired } from "../owners/rules.ts";
import { followingRoutes } from "./following/routes.ts";
import { findHistories, getHistory, historyOf } from "./histories/store.ts";
import { formOf } from "./numbers/unknown.ts";
import { shortTrackingView, type TrackingHistory, trackingView } from "./record.ts";
import { recordScan, recordScans } from "./scans/commands.ts";
import { ChooseShape, RecordScan, ShortTrackingView, TrackedView, TrackingView, TrackMany } from "./schemas.ts";

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
    ({ call, params, body }) => answerTogether(call, scanning, { number: params.tracking_number, scan: body }),
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
const scanning: SharedAct<{ readonly number: string; readonly scan: RecordScan }, TrackingHistory> = {
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
