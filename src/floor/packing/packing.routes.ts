import type { Call } from "../../http/call.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { tagged } from "../../http/preconditions.ts";
import { list, read, respond, routes, write } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { answerSlowWork } from "../../http/slow_work.ts";
import { linkSigner } from "../../shipping/labels/label_documents.ts";
import { viewer } from "../../shipping/labels/labels.routes.ts";
import { getLabel } from "../../shipping/labels/labels.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { buyParcelLabel } from "./buy_parcel_label.ts";
import { requestLabel } from "./close_parcel.ts";
import { openPackingSession } from "./open_session.ts";
import {
  cancelPackingSession,
  closePackingSession,
  packFromItem,
  scanUnit,
  unscanUnit,
  updatePackingSession,
} from "./pack_session.ts";
import { packingFacts } from "./packed_parcel.ts";
import {
  BuyParcelLabel,
  OpenPackingSession,
  PackFromItem,
  PackingSessionView,
  ScanUnit,
  UpdatePackingSession,
} from "./packing.schema.ts";
import type { PackingSession } from "./packing_session.ts";
import { packingSessionView } from "./packing_session_view.ts";
import { getPackingSession, packingSessionList } from "./packing_sessions.sql.ts";

const opening_refuses = [
  "already_packed",
  "insufficient_inventory",
  "order_cancelled",
  "order_not_picked",
  "order_on_hold",
  "resource_missing",
  "task_taken",
  "wrong_warehouse",
] as const;
const scan_refuses = [
  "already_packed",
  "ambiguous_barcode",
  "insufficient_inventory",
  "invalid_state_transition",
  "lot_expired",
  "lot_not_pickable",
  "order_cancelled",
  "order_on_hold",
  "resource_missing",
  "surplus_item",
  "task_taken",
  "unknown_barcode",
  "unreadable_barcode",
  "wrong_item",
  "wrong_lot",
] as const;
const unscan_refuses = [
  "ambiguous_barcode",
  "invalid_state_transition",
  "resource_missing",
  "unknown_barcode",
  "unreadable_barcode",
  "wrong_item",
] as const;
const closing_refuses = [
  "already_packed",
  "bundle_incomplete",
  "insufficient_inventory",
  "invalid_state_transition",
  "lot_not_pickable",
  "order_cancelled",
  "order_on_hold",
  "resource_missing",
  "surplus_item",
] as const;
const bought =
  " A closed parcel's label is bought at once: 202 means that the carrier has not confirmed yet, and a refusal is in" +
  " `label_error`.";

type SessionViewer = (db: Db, session: PackingSession) => Promise<ReturnType<typeof packingSessionView>>;

/** Creates views of sessions, with links to print their labels. */
function sessionViewer({ secret_key }: Service): (call: Call) => SessionViewer {
  const labelViewer = viewer(linkSigner(secret_key));
  return (call) => {
    const viewed = labelViewer(call);
    return async (db, session) => {
      const label = session.label_id === null ? null : await getLabel(db, session.label_id);
      const view = packingSessionView(await packingFacts(db, session), label, null);
      // The tag leaves out the label: its links get a new signature in each response.
      return tagged({ ...view, label: label && viewed(label, db) }, session.revision, view);
    };
  };
}

type PackingAct = (tx: Tx) => Promise<PackingSession>;

/** Performs an act, and buys the label of the parcel that it closed, before the response or after it. */
function answerPacking(service: Service, call: Call, act: PackingAct, status: 200 | 201 = 200): Promise<Response> {
  const view = sessionViewer(service)(call);
  return answerSlowWork(
    call,
    {
      timeout_ms: service.carrier_timeout_ms,
      begin: async (tx) => {
        const session = await act(tx);
        const data = await view(tx, session);
        return { begun: session, data, ...(session.label_due_at === null && { status }) };
      },
      finish: async (claim, end) => {
        const ended = async (tx: Tx, session: PackingSession) => end(tx, { status, data: await view(tx, session) });
        await buyParcelLabel({ store: call.store, service }, claim, ended);
      },
    },
    service.secret_key,
  );
}

const answers = { 200: EnvelopedView(PackingSessionView), 202: EnvelopedView(PackingSessionView) };

/** Routes of packing with scans. */
export function packingRoutes(service: Service) {
  return routes("Floor", [...openingRows(service), ...scanningRows(service), ...closingRows(service)]);
}

function openingRows(service: Service) {
  const viewerOf = sessionViewer(service);
  return [
    write("POST", "/packing_sessions", "floor.work", {
      id: "openPackingSession",
      summary: "Start packing an order",
      description:
        "Opens a session for the order's next parcel: by a scanned tote, or by an order. Claims the task of packing" +
        " it; an open session of the order is continued by whoever has that task. While a wave picks the order, all" +
        " of it must be picked; without a wave, packing assumes the picks. An order whose label was voided can be" +
        " packed again.",
      refuses: [...opening_refuses, "ambiguous_identifier", "tote_empty", "unknown_barcode"],
      body: OpenPackingSession,
      view: PackingSessionView,
      status: 201,
      act: async (tx, { call, body }) => viewerOf(call)(tx, await openPackingSession(tx, body, call.actor)),
    }),
    respond("POST", "/packing_sessions/from_item", "floor.work", {
      id: "packFromItem",
      summary: "Pack an item for an order that needs it",
      description:
        "Finds the oldest order that needs the scanned item, picked ones first, and scans it into its parcel. An" +
        " order of one unit is packed by this request alone. With `wave_id`, orders of several units are packed too." +
        ` Two people who scan the same product at once get two orders.${bought}`,
      refuses: [...scan_refuses, "no_matching_order"],
      body: PackFromItem,
      answers: { 201: EnvelopedView(PackingSessionView), 202: EnvelopedView(PackingSessionView) },
      answer: ({ call, body }) => answerPacking(service, call, (tx) => packFromItem(tx, body, call.actor), 201),
    }),
    list("/packing_sessions", "floor.read", {
      id: "listPackingSessions",
      summary: "List packing sessions",
      description: "Lists sessions, newest first. A session is one parcel that is being packed, or was.",
      of: packingSessionList,
      view: PackingSessionView,
      views: async (sessions, db, { call }) => {
        const views = [];
        for (const session of sessions) views.push(await viewerOf(call)(db, session));
        return views;
      },
    }),
    read("/packing_sessions/:id", "floor.read", {
      id: "getPackingSession",
      summary: "Get a packing session",
      description: "Returns what the parcel needs and has, its carton, its weight and its label.",
      view: PackingSessionView,
      data: async (db, { call, params }) => viewerOf(call)(db, await getPackingSession(db, params.id)),
    }),
  ];
}

function scanningRows(service: Service) {
  const viewerOf = sessionViewer(service);
  return [
    respond("POST", "/packing_sessions/:id/scans", "floor.work", {
      id: "scanIntoParcel",
      summary: "Scan a unit into the parcel",
      description:
        "Scans one unit, or `quantity`. The components of a bundle are scanned each. A refused scan changes nothing." +
        " The last unit closes the parcel: its units are packed, and its label and packing slip are printed at the" +
        ` station.${bought} A parcel whose weight is unknown stays open, with the reason in \`blocked_by\`.`,
      refuses: scan_refuses,
      body: ScanUnit,
      answers,
      answer: ({ call, params, body }) =>
        answerPacking(service, call, (tx) => scanUnit(tx, params.id, body, call.actor)),
    }),
    write("POST", "/packing_sessions/:id/unscan", "floor.work", {
      id: "takeOutOfParcel",
      summary: "Take a unit out of the parcel",
      description: "Undoes scans of an open session. To take units out of a closed parcel, unpack or reopen it.",
      refuses: unscan_refuses,
      body: ScanUnit,
      view: PackingSessionView,
      act: async (tx, { call, params, body }) => viewerOf(call)(tx, await unscanUnit(tx, params.id, body)),
    }),
    respond("PATCH", "/packing_sessions/:id", "floor.work", {
      id: "updatePackingSession",
      summary: "Choose the carton of a parcel, or enter its weight",
      description:
        "The carton that someone chooses is suggested for the same goods from then on. A weight that differs from the" +
        " calculated one by more than 50 g and more than 3 % needs a `weight_reason`. A parcel that was complete and" +
        ` only waited for its weight is closed.${bought}`,
      refuses: closing_refuses,
      body: UpdatePackingSession,
      answers,
      answer: ({ call, params, body }) =>
        answerPacking(service, call, (tx) => updatePackingSession(tx, params.id, body, call.actor)),
    }),
  ];
}

function closingRows(service: Service) {
  const viewerOf = sessionViewer(service);
  return [
    respond("POST", "/packing_sessions/:id/close", "floor.work", {
      id: "closePackingSession",
      summary: "Close a parcel before all of the order is in it",
      description:
        "Packs what was scanned. The rest of the order goes into another parcel: open a session for the order again." +
        bought,
      refuses: closing_refuses,
      answers,
      answer: ({ call, params }) =>
        answerPacking(service, call, (tx) => closePackingSession(tx, params.id, call.actor)),
    }),
    write("POST", "/packing_sessions/:id/cancel", "floor.work", {
      id: "cancelPackingSession",
      summary: "Give up a parcel that is not closed",
      description: "The units stay picked, and the order can be packed again.",
      refuses: ["invalid_state_transition", "resource_missing"],
      view: PackingSessionView,
      act: async (tx, { call, params }) => viewerOf(call)(tx, await cancelPackingSession(tx, params.id)),
    }),
    respond("POST", "/packing_sessions/:id/label", "floor.work", {
      id: "buyParcelLabel",
      summary: "Buy the label of a packed parcel again",
      description:
        "For a parcel whose label failed or was voided: as the order chooses, or from the given carrier. A refusal is" +
        " in `label_error`; 202 means that the carrier has not confirmed yet.",
      refuses: ["duplicate_label", "invalid_state_transition", "pickup_order", "resource_missing"],
      body: BuyParcelLabel,
      answers,
      answer: ({ call, params, body }) => answerPacking(service, call, (tx) => requestLabel(tx, params.id, body)),
    }),
  ];
}
