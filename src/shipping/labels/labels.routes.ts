import { Elysia } from "elysia";
import { asFault, Fault, invalid, orFault, unlessRefused } from "../../core/faults.ts";
import { moneyText, value_currency } from "../../core/money.ts";
import { DryRunQuery } from "../../core/schema.ts";
import { getFile } from "../../files/files.sql.ts";
import { readContent } from "../../files/files.ts";
import { answerBatched, type BatchableCommand } from "../../http/batching.ts";
import type { Call } from "../../http/call.ts";
import { EnvelopedView, enveloped, jsonResponse } from "../../http/envelope.ts";
import { findResponse, idempotencyKey, storageKeyOf } from "../../http/idempotency.ts";
import { originOf } from "../../http/origin.ts";
import { answerAct, DryRunView } from "../../http/rehearsals.ts";
import { answerWrite } from "../../http/response.ts";
import { read, respond, routes } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { answerSlowWork, type SlowWorkResult } from "../../http/slow_work.ts";
import { resolveOrder } from "../../orders/lifecycle/order_lookup.sql.ts";
import type { Order } from "../../orders/order.ts";
import { getOrder } from "../../orders/orders.sql.ts";
import { trackPurchase } from "../../outbound/lanes.ts";
import { labelCallbacks, refuseInTransit } from "../../returns/return_labels.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { buyTrackedLabel, buyTrackedLabels, recordExternalLabel } from "../../tracking/track_label.ts";
import { listTrackingAccounts } from "../carriers/accounts.ts";
import { weightText } from "../parcel.ts";
import { isBuiltIn } from "../rates/built_in_carrier.ts";
import { type RateQuote, usableQuote } from "../rates/quote.ts";
import { quoteParcel } from "../rates/quote_parcel.ts";
import { findQuote, usableQuotes } from "../rates/quotes.sql.ts";
import { insuredCents, readRateQuestion } from "../rates/rate_request.ts";
import { buyClaimed } from "./buy_from_carrier.ts";
import type { ExternalDocument } from "./external_label.ts";
import { isUsable, isVoided } from "./label.transitions.ts";
import { forMerchant, labelView, type PlainLabel, refusalFor, type ShippingLabel } from "./label.ts";
import { checkQuotedNames } from "./label_checks.ts";
import { documentRoutes } from "./label_documents.routes.ts";
import { type LinkSigner, linkSigner } from "./label_documents.ts";
import { labelListRoutes } from "./label_list.routes.ts";
import { beginPurchase, chooseSeller, sellerOfQuote } from "./label_purchases.ts";
import { CreateExternalLabel, CreateLabel, LabelPreview, LabelView } from "./labels.schema.ts";
import { getLabel } from "./labels.sql.ts";
import type { LabelBuyer } from "./ready_parcels.ts";
import { voidAtCarrier } from "./void_at_carrier.ts";
import { beginVoid, voidLabel } from "./void_label.ts";

/** Returns a label's view for a client. */
type LabelViewer = (label: PlainLabel, db: Db) => ReturnType<typeof labelView>;

/** Creates label views for a caller. Merchants do not see the operator's fields. */
export function viewer(signer: LinkSigner): (call: Call) => LabelViewer {
  return (call) => {
    const origin = originOf(call);
    return (label, { mode, now, site }) => {
      const shown = labelView(label, { origin, site, signer, mode, now });
      return call.merchant_id === null ? shown : forMerchant(shown);
    };
  };
}

/** A purchase request with its quote; null if it names none, or one that is not stored. */
interface LabelPurchaseRequest {
  readonly body: CreateLabel;
  readonly quote: RateQuote | null;
}

/** A purchase request. Without a package, it is the chosen carton with all unpacked units of the order. */
type LabelRequest = Omit<CreateLabel, "package"> & Partial<Pick<CreateLabel, "package">>;

/** Returns the function that buys labels. Purchases of built-in labels are batched. */
export function purchases(service: Service): (call: Call, body: LabelRequest) => Promise<Response> {
  const view = viewer(linkSigner(service.secret_key));
  const own = ownPurchases(service, view);
  return async (call, request) => {
    const body = await completeRequest(call, request, service).catch(asFault);
    if (body instanceof Fault) {
      const kept = await keptAnswer(call, service);
      if (kept === null) throw body;
      return kept;
    }
    const { quote_id } = body;
    // Stored quotes never change, so they can be read before the transaction.
    const quote = quote_id === undefined ? null : await usableQuotes(call).read((db) => findQuote(db, quote_id));
    const is_built_in = body.carrier === undefined || isBuiltIn(call.store.mode, body.carrier);
    if (quote === null ? is_built_in : quote.account_id === null) {
      return answerBatched(call, own, { body, quote });
    }
    return answerClaimed(call, service, view(call), async (tx) => {
      checkQuoted(tx, { body, quote });
      const seller = quote === null ? await chooseSeller(tx, body, call) : await sellerOfQuote(tx, quote);
      return beginPurchase(tx, body, buyingOf(call, { body, quote }), seller);
    });
  };
}

/** The stored response of a repeated request, or null. Its order may have shipped since, or have no rate any more. */
async function keptAnswer(call: Call, { secret_key }: Service): Promise<Response | null> {
  const key = storageKeyOf(call);
  const kept = key === null ? null : await call.store.read((db) => findResponse(db, call, key, secret_key));
  return kept && jsonResponse(call, kept.status, kept.body, kept.headers);
}

/**
 * The purchase with its package and service.
 * Refuses: validation_failed, resource_missing, ambiguous_identifier.
 */
async function completeRequest(call: Call, request: LabelRequest, service: Service): Promise<CreateLabel> {
  const { package: parcel = await weighedPackage(call, request.order_id), ...rest } = request;
  return withChoice(call, { ...rest, package: parcel }, service);
}

/** The parcel of all unpacked units of an order: its weight in grams, its chosen carton and insurance. */
async function weighedPackage(call: Call, order_id: CreateLabel["order_id"]): Promise<CreateLabel["package"]> {
  const { carriage } = await call.store.read((db) => readRateQuestion(db, { order_id }, "package.weight"));
  const { dimensions } = carriage.package;
  const insured = carriage.insurance && {
    value: moneyText(carriage.value_cents ?? 0, value_currency),
    insurance: true,
  };
  return { weight: weightText(carriage.weight, "g") ?? "", weight_unit: "g", dimensions, ...insured };
}

/**
 * A purchase that names neither a quote nor a service, with what its order's choice picks. The choice also insures it,
 * unless the request does.
 * Refuses: validation_failed (nothing is chosen, or no rate fits), resource_missing, ambiguous_identifier.
 */
async function withChoice(call: Call, body: CreateLabel, service: Service): Promise<CreateLabel> {
  const { quote_id, carrier, service: code, order_id, package: parcel, account_id } = body;
  if (quote_id !== undefined || carrier !== undefined || code !== undefined || account_id != null) return body;
  const order = await call.store.read(async (db) => getOrder(db, await resolveOrder(db, order_id)));
  const { shipping_choice } = order;
  if (shipping_choice?.carrier != null && shipping_choice.service !== null) {
    const { carrier: seller, service: named } = shipping_choice;
    return { ...body, carrier: seller, service: named, package: insuredPackage(order, parcel) };
  }
  if (shipping_choice?.choose == null) return body;
  const { from_address, to_address, items } = body;
  const ends = { ...(from_address && { from_address }), ...(to_address && { to_address }), ...(items && { items }) };
  const { data } = await quoteParcel(call, { order_id, ...ends, ...parcel }, service);
  const { quote_id: picked = null, reason = "" } = data.choice ?? {};
  if (picked === null)
    throw invalid("carrier", `is required, since the order's choice finds no rate: ${reason}`, "required");
  return { ...body, quote_id: picked };
}

function insuredPackage(order: Order, parcel: CreateLabel["package"]): CreateLabel["package"] {
  const cents = insuredCents(order);
  if (cents === null || parcel.value !== undefined || parcel.insurance !== undefined) return parcel;
  return { ...parcel, value: moneyText(cents, value_currency), insurance: true };
}

// Links in the response work without a key, so the response stored for repeated requests is sealed.
const ownPurchases = (
  service: Service,
  view: (call: Call) => LabelViewer,
): BatchableCommand<LabelPurchaseRequest, ShippingLabel> => ({
  name: "createLabel",
  status: 201,
  // A purchase writes the parcel, its units, its label, its tracking record and the order's history.
  weight: () => 5,
  runOne: (tx, { input, call }) => {
    checkQuoted(tx, input);
    return buyTrackedLabel(tx, input.body, buyingOf(call, input));
  },
  runBatch: (tx, parts) => {
    const requests = parts.map(({ input, call }) =>
      orFault(() => {
        checkQuoted(tx, input);
        return { input: input.body, buying: buyingOf(call, input) };
      }),
    );
    return unlessRefused(requests, (valid) => buyTrackedLabels(tx, valid));
  },
  view: (label, db, call) => view(call)(label, db),
  secret_key: service.secret_key,
});

/**
 * Checks the quote when the request runs, so that a repeated request still gets the first response. Refuses:
 * validation_failed, quote_expired, quote_mismatch.
 */
function checkQuoted({ now }: Tx, { body, quote }: LabelPurchaseRequest): void {
  if (body.quote_id !== undefined) checkQuotedNames(usableQuote(body.quote_id, quote, now), body);
}

const buyingOf = ({ actor, request }: Call, { body, quote }: LabelPurchaseRequest): LabelBuyer => ({
  actor,
  // A request with its own Idempotency-Key is never an accidental repeat.
  additional: body.additional === true || idempotencyKey(request) !== null,
  quote,
});

/** Responds with the result of a purchase that `claim` starts in a transaction. */
export function answerClaimed(
  call: Call,
  service: Service,
  view: LabelViewer,
  claim: (tx: Tx) => Promise<ShippingLabel>,
) {
  const { secret_key, carrier_timeout_ms: timeout_ms } = service;
  const at = { store: call.store, service, callbacks: labelCallbacks };
  const refusalOf = refusalFor(call, "sold");
  return answerSlowWork(
    call,
    {
      timeout_ms,
      begin: async (tx) => {
        const label = await claim(tx);
        return { begun: label, data: view(label, tx) };
      },
      finish: (label, end) =>
        trackPurchase(
          call.store.base,
          withLog(
            service,
            buyClaimed(at, label, (tx, ended) =>
              end(
                tx,
                ended.state === "failed" ? refusalOf(ended.label, ended.fault) : boughtEnding(ended.label, view, tx),
              ),
            ),
          ),
        ),
    },
    secret_key,
  );
}

const boughtEnding = (label: ShippingLabel, view: LabelViewer, tx: Tx): SlowWorkResult => ({
  status: 201,
  data: view(label, tx),
});

/** Runs work that continues after the response, and logs its failure. */
async function withLog<T>({ log }: Service, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    // The claim expires, and the job continues the purchase.
    log.error("a purchase was not recorded", { error: String(error) });
    throw error;
  }
}

/** Voids a label. A carrier's label is voided at the carrier first. */
async function answerVoid(call: Call, service: Service, id: string, view: LabelViewer): Promise<Response> {
  const { secret_key, carrier_timeout_ms: timeout_ms } = service;
  const { account_id, status } = await call.store.read((db) => getLabel(db, id));
  if (account_id === null || isVoided(status)) {
    return answerWrite(call, 200, async (tx) => view(await voidOwn(tx, id, call), tx), enveloped, secret_key);
  }
  const at = { store: call.store, service, callbacks: labelCallbacks };
  const refusalOf = refusalFor(call, "voided");
  return answerSlowWork(
    call,
    {
      timeout_ms,
      begin: async (tx) => {
        await refuseReturning(tx, await getLabel(tx, id));
        const label = await beginVoid(tx, id, call.actor);
        return { begun: label, data: view(label, tx) };
      },
      finish: async (label, end) => {
        // A concurrent request has already voided it.
        if (isVoided(label.status)) {
          await call.store.write(async (tx) => end(tx, { status: 200, data: view(await getLabel(tx, label.id), tx) }));
          return;
        }
        const work = voidAtCarrier(at, label, (tx, answer) =>
          end(tx, "fault" in answer ? refusalOf(label, answer.fault) : { status: 200, data: view(answer.label, tx) }),
        );
        await trackPurchase(call.store.base, withLog(service, work));
      },
    },
    secret_key,
  );
}

async function voidOwn(tx: Tx, id: string, { actor }: Call): Promise<ShippingLabel> {
  const before = await getLabel(tx, id);
  await refuseReturning(tx, before);
  const label = await voidLabel(tx, id, actor);
  if (!isVoided(before.status)) await labelCallbacks.voided(tx, label, actor);
  return label;
}

/** Refuses a return label whose parcel is on its way back. Refuses: label_not_voidable. */
async function refuseReturning(tx: Tx, label: ShippingLabel): Promise<void> {
  if (label.return_id !== null && isUsable(label.status)) await refuseInTransit(tx, label);
}

/** Records a label that was bought elsewhere. A dry run shows it without what has its id. */
async function answerExternal(
  call: Call,
  service: Service,
  body: CreateExternalLabel,
  { view, dry_run }: { readonly view: LabelViewer; readonly dry_run: boolean | undefined },
): Promise<Response> {
  // A repeated request gets the first response, even if the upload was removed since.
  const document = body.file_id == null ? null : await uploadedLabel(call, service, body.file_id).catch(asFault);
  const { secret_key } = service;
  return answerAct(call, { status: 201, dry_run, secret_key }, async (tx) => {
    if (document instanceof Fault) throw document;
    const accounts = await listTrackingAccounts(tx, service);
    const label = view(await recordExternalLabel(tx, body, { actor: call.actor, document, accounts }), tx);
    if (dry_run !== true) return label;
    return { ...label, label_id: null, shipment_id: null, tracking_url: null, label_url: null, documents: [] };
  });
}

/** Reads an uploaded label. Refuses: resource_missing, validation_failed, storage_unavailable. */
async function uploadedLabel({ store }: Call, { files }: Service, file_id: string | number): Promise<ExternalDocument> {
  const file = await store.read((db) => getFile(db, file_id));
  const { content_type, merchant_id } = file;
  if (file.kind !== "label" || content_type === "image/jpeg") {
    throw invalid("file_id", `is a ${file.kind}: upload the label with the kind label`);
  }
  return { content_type, merchant_id, bytes: await readContent(files, store.mode, file) };
}

/** Routes of labels and their documents. */
export function labelRoutes(service: Service) {
  const signer = linkSigner(service.secret_key);
  return new Elysia()
    .use(labelListRoutes(viewer(signer)))
    .use(ownRoutes(service, signer))
    .use(documentRoutes(service, signer));
}

const externalRow = (service: Service, view: (call: Call) => LabelViewer) =>
  respond("POST", "/shipping/labels/external", "shipping.buy", {
    id: "createExternalLabel",
    summary: "Record a label that was bought elsewhere",
    description:
      "For a label of a marketplace, a shop or a carrier's portal. Opens a parcel with the units, keeps the label's" +
      " file to print, starts tracking and emits `shipment.created`, as a purchase does; the label is billable at" +
      " its cost. Upload the file first (`POST /files?kind=label`), or send none if the label is on the parcel" +
      " already. A number that the carrier gave to another parcel in the last 90 days is refused. Voiding it later" +
      " calls no carrier: request the refund where it was bought. `dry_run` shows the label without recording it.",
    refuses: [
      "ambiguous_identifier",
      "duplicate_label",
      "invalid_state_transition",
      "pickup_order",
      "resource_missing",
      "storage_unavailable",
    ],
    query: DryRunQuery,
    body: CreateExternalLabel,
    answers: { 201: EnvelopedView(LabelView), 200: DryRunView(LabelPreview) },
    answer: ({ call, body, query: { dry_run } }) => answerExternal(call, service, body, { view: view(call), dry_run }),
  });

const ownRoutes = (service: Service, signer: LinkSigner) => {
  const view = viewer(signer);
  const buy = purchases(service);
  return routes("Shipping", [
    respond("POST", "/shipping/labels", "shipping.buy", {
      id: "createLabel",
      summary: "Buy a label",
      description:
        "Opens a parcel with the units, buys its label, starts tracking and emits `shipment.created`; the order's" +
        " status stays. A built-in label is bought at once. A carrier's may take longer: 202 with `processing`, and" +
        " `GET /shipping/labels/:id` later shows `completed`, or `error` with the reason. A bought label is" +
        " billable. Without quote and carrier, the order's `shipping_choice` decides.",
      refuses: [
        "ambiguous_identifier",
        "carrier_error",
        "carrier_refused",
        "carrier_timeout",
        "carrier_unauthorized",
        "duplicate_label",
        "pickup_order",
        "invalid_state_transition",
        "quote_expired",
        "quote_mismatch",
        "quote_used",
        "resource_missing",
      ],
      body: CreateLabel,
      answers: { 201: EnvelopedView(LabelView), 202: EnvelopedView(LabelView) },
      answer: ({ call, body }) => buy(call, body),
    }),
    externalRow(service, view),
    read("/shipping/labels/:id", "shipping.read", {
      id: "getLabel",
      summary: "Get a label",
      description:
        "Returns the label with its cost, new signed links to print it, and the state of its purchase or voiding." +
        " Poll it while `status` is `processing`.",
      view: LabelView,
      data: async (db, { call, params }) => view(call)(await getLabel(db, params.id), db),
    }),
    respond("POST", "/shipping/labels/:id/void", "shipping.buy", {
      id: "voidLabel",
      summary: "Void a label whose parcel has not shipped",
      description:
        "Voids the label and gives up its parcel, whose units can go into another one. A label that was bought" +
        " elsewhere has to be refunded there, as the warning `refund_elsewhere` says. A carrier's label is voided" +
        " at the carrier first: 202 means that it has not confirmed yet, `void_status` is `requested` and the service" +
        " retries for about a day. Voiding a voided label changes nothing.",
      refuses: [
        "carrier_error",
        "carrier_unauthorized",
        "invalid_state_transition",
        "label_in_progress",
        "label_not_voidable",
        "resource_missing",
      ],
      answers: { 200: EnvelopedView(LabelView), 202: EnvelopedView(LabelView) },
      answer: ({ call, params }) => answerVoid(call, service, params.id, view(call)),
    }),
  ]);
};
