import { Elysia } from "elysia";
import { orFault, unlessRefused } from "../../core/faults.ts";
import { bodyOf } from "../../core/schema.ts";
import { answerBatched, type BatchableCommand } from "../../http/batching.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, enveloped } from "../../http/envelope.ts";
import { idempotencyKey } from "../../http/idempotency.ts";
import { originOf } from "../../http/origin.ts";
import { answerRead, answerWrite } from "../../http/response.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import { answerSlowWork, type SlowWorkResult } from "../../http/slow_work.ts";
import { trackPurchase } from "../../outbound/lanes.ts";
import { labelNews, refuseUnderWayBack } from "../../returns/return_labels.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { buyTrackedLabel, buyTrackedLabels } from "../../tracking/track_label.ts";
import { isBuiltIn } from "../rates/built_in_carrier.ts";
import { type RateQuote, readQuote } from "../rates/quote.ts";
import { buyClaimed } from "./buy_from_carrier.ts";
import { isUsable, isVoided } from "./label.transitions.ts";
import { forMerchant, labelView, type PlainLabel, refusalFor, type ShippingLabel } from "./label.ts";
import { checkQuotedNames } from "./label_checks.ts";
import { documentRoutes } from "./label_documents.routes.ts";
import { type LinkSigner, linkSigner } from "./label_documents.ts";
import { labelListRoutes } from "./label_list.routes.ts";
import { beginPurchase, chooseSeller, sellerOfQuote } from "./label_purchases.ts";
import { CreateLabel, LabelView } from "./labels.schema.ts";
import { getLabel } from "./labels.sql.ts";
import type { LabelBuyer } from "./ready_parcels.ts";
import { voidAtCarrier } from "./void_at_carrier.ts";
import { beginVoid, voidLabel } from "./void_label.ts";

/** Shows a label to a client. */
type LabelViewer = (label: PlainLabel, db: Db) => ReturnType<typeof labelView>;

/** Shows labels to clients, with links that need no key. What is the operator's own is shown to the operator alone. */
export function viewer(signer: LinkSigner): (call: Call) => LabelViewer {
  return (call) => {
    const origin = originOf(call);
    return (label, { mode, now, site }) => {
      const shown = labelView(label, { origin, site, signer, mode, now });
      return call.merchant_id === null ? shown : forMerchant(shown);
    };
  };
}

/** A purchase that a request asks for, with the quote that it names. */
interface LabelPurchaseRequest {
  readonly body: CreateLabel;
  readonly quote: RateQuote | null;
}

/** How labels are bought: those of our own together, where they are asked for at the same moment. */
export function purchases(service: Service): (call: Call, body: CreateLabel) => Promise<Response> {
  const { secret_key } = service;
  const view = viewer(linkSigner(secret_key));
  const own = ownPurchases(service, view);
  return (call, body) => {
    const { mode } = call.store;
    const quote = body.quote_id === undefined ? null : readQuote(body.quote_id, { secret_key, mode, now: 0 });
    const named = body.carrier === undefined || isBuiltIn(mode, body.carrier);
    if (quote === null ? named : quote.account_id === null) {
      return answerBatched(call, own, { body, quote });
    }
    return answerClaimed(call, service, view(call), async (tx) => {
      checkQuoted(service, tx, { body, quote });
      const seller = quote === null ? await chooseSeller(tx, body, call) : await sellerOfQuote(tx, quote);
      return beginPurchase(tx, body, buyingOf(call, { body, quote }), seller);
    });
  };
}

/** The links of a label work without a key, so that the answer kept for a repeated request is sealed. */
const ownPurchases = (
  service: Service,
  view: (call: Call) => LabelViewer,
): BatchableCommand<LabelPurchaseRequest, ShippingLabel> => ({
  name: "createLabel",
  status: 201,
  // A parcel is written with its units, its label, its record and its order's history.
  weight: () => 5,
  alone: (tx, { input, call }) => {
    checkQuoted(service, tx, input);
    return buyTrackedLabel(tx, input.body, buyingOf(call, input));
  },
  together: (tx, parts) => {
    const asked = parts.map(({ input, call }) =>
      orFault(() => {
        checkQuoted(service, tx, input);
        return { input: input.body, buying: buyingOf(call, input) };
      }),
    );
    return unlessRefused(asked, (some) => buyTrackedLabels(tx, some));
  },
  view: (label, db, call) => view(call)(label, db),
  secret_key: service.secret_key,
});

/** Refuses: quote_expired, quote_mismatch. A repeated request still gets the first answer, whatever has expired. */
function checkQuoted({ secret_key }: Service, { mode, now }: Tx, { body, quote }: LabelPurchaseRequest): void {
  if (body.quote_id === undefined || quote === null) return;
  readQuote(body.quote_id, { secret_key, mode, now });
  checkQuotedNames(quote, body);
}

const buyingOf = ({ actor, request }: Call, { body, quote }: LabelPurchaseRequest): LabelBuyer => ({
  actor,
  // A request with an Idempotency-Key of its own is never an accidental repeat.
  additional: body.additional === true || idempotencyKey(request) !== null,
  quote,
});

/** Answers with the result of a purchase that a transaction claims. */
export function answerClaimed(
  call: Call,
  service: Service,
  view: LabelViewer,
  claim: (tx: Tx) => Promise<ShippingLabel>,
) {
  const { secret_key, carrier_patience_ms: patience_ms } = service;
  const at = { store: call.store, service, news: labelNews };
  const refused = refusalFor(call, "sold");
  return answerSlowWork(
    call,
    {
      patience_ms,
      begin: async (tx) => {
        const label = await claim(tx);
        return { begun: label, data: view(label, tx) };
      },
      goOn: (label, end) =>
        trackPurchase(
          call.store.base,
          told(
            service,
            buyClaimed(at, label, (tx, ended) =>
              end(
                tx,
                ended.state === "failed" ? refused(ended.label, ended.fault) : boughtEnding(ended.label, view, tx),
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

/** Work after the answer. Its failure is logged, since no client waits for it. */
async function told<Done>({ log }: Service, work: Promise<Done>): Promise<Done> {
  try {
    return await work;
  } catch (error) {
    // The claim expires, and then the job continues it.
    log.error("a purchase was not recorded", { error: String(error) });
    throw error;
  }
}

/** Voids a label; a carrier's label is voided by the carrier first. */
async function answerVoid(call: Call, service: Service, id: string, view: LabelViewer): Promise<Response> {
  const { secret_key, carrier_patience_ms: patience_ms } = service;
  const { account_id, status } = await call.store.read((db) => getLabel(db, id));
  if (account_id === null || isVoided(status)) {
    return answerWrite(call, 200, async (tx) => view(await voidOwn(tx, id, call), tx), enveloped, secret_key);
  }
  const at = { store: call.store, service, news: labelNews };
  const refused = refusalFor(call, "voided");
  return answerSlowWork(
    call,
    {
      patience_ms,
      begin: async (tx) => {
        await refuseComing(tx, await getLabel(tx, id));
        const label = await beginVoid(tx, id, call.actor);
        return { begun: label, data: view(label, tx) };
      },
      goOn: async (label, end) => {
        // Another request was a moment faster.
        if (isVoided(label.status)) {
          await call.store.write(async (tx) => end(tx, { status: 200, data: view(await getLabel(tx, label.id), tx) }));
          return;
        }
        const given = voidAtCarrier(at, label, (tx, answer) =>
          end(tx, "fault" in answer ? refused(label, answer.fault) : { status: 200, data: view(answer.label, tx) }),
        );
        await trackPurchase(call.store.base, told(service, given));
      },
    },
    secret_key,
  );
}

async function voidOwn(tx: Tx, id: string, { actor }: Call): Promise<ShippingLabel> {
  const before = await getLabel(tx, id);
  await refuseComing(tx, before);
  const label = await voidLabel(tx, id, actor);
  if (!isVoided(before.status)) await labelNews.voided(tx, label, actor);
  return label;
}

/** Refuses: label_not_voidable, for a label whose parcel is on its way back. */
async function refuseComing(tx: Tx, label: ShippingLabel): Promise<void> {
  if (label.return_id !== null && isUsable(label.status)) await refuseUnderWayBack(tx, label);
}

/** Labels of parcels, and their documents. */
export function labelRoutes(service: Service) {
  const signer = linkSigner(service.secret_key);
  return new Elysia()
    .use(labelListRoutes(viewer(signer)))
    .use(ownRoutes(service, signer))
    .use(documentRoutes(service, signer));
}

const ownRoutes = (service: Service, signer: LinkSigner) => {
  const view = viewer(signer);
  const buy = purchases(service);
  return new Elysia({ prefix: "/shipping/labels" })
    .use(conventions)
    .post("", ({ call, body }) => buy(call, body), {
      body: bodyOf(CreateLabel),
      detail: documented({
        id: "createLabel",
        needs: "shipping.buy",
        chapter: "Shipping",
        summary: "Buy a label",
        description:
          "A label of our own is bought at once. For a carrier the answer waits a few seconds: 202 says that it has" +
          " not sold the label yet, whose `status` is `processing`. `GET /shipping/labels/:id` shows the result:" +
          " `completed`, or `error` with the reason.",
        refuses: [
          "ambiguous_identifier",
          "carrier_error",
          "carrier_refused",
          "carrier_timeout",
          "carrier_unauthorized",
          "duplicate_label",
          "invalid_state_transition",
          "quote_expired",
          "quote_mismatch",
          "quote_used",
          "resource_missing",
        ],
        answers: { 201: EnvelopedView(LabelView), 202: EnvelopedView(LabelView) },
      }),
    })
    .get("/:id", ({ call, params }) => answerRead(call, async (db) => view(call)(await getLabel(db, params.id), db)), {
      detail: documented({
        id: "getLabel",
        needs: "shipping.read",
        chapter: "Shipping",
        summary: "Get a label",
        answers: { 200: EnvelopedView(LabelView) },
      }),
    })
    .post("/:id/void", ({ call, params }) => answerVoid(call, service, params.id, view(call)), {
      detail: documented({
        id: "voidLabel",
        needs: "shipping.buy",
        chapter: "Shipping",
        summary: "Void a label whose parcel has not left",
        description:
          "A carrier is asked to void its label. 202 says that it has not answered yet: `void_status` is `asked`," +
          " and the service goes on asking.",
        refuses: [
          "carrier_error",
          "carrier_unauthorized",
          "invalid_state_transition",
          "label_in_progress",
          "label_not_voidable",
          "resource_missing",
        ],
        answers: { 200: EnvelopedView(LabelView), 202: EnvelopedView(LabelView) },
      }),
    });
};
