import type { Db, Tx } from "../../../database/store.ts";
import type { Call } from "../../../http/call.ts";
import { idempotencyKey } from "../../../http/idempotency.ts";
import { originOf } from "../../../http/origin.ts";
import type { Service } from "../../../http/service.ts";
import { answerSlowWork, type Ending } from "../../../http/slow_work.ts";
import { answerTogether, type SharedAct } from "../../../http/together.ts";
import { orFault, unlessRefused } from "../../../kit/fault.ts";
import { goesOn } from "../../../outbound/under_way.ts";
import { labelNews } from "../../../returns/labels/commands.ts";
import { buyTrackedLabel, buyTrackedLabels } from "../../../tracking/labels/commands.ts";
import { type Quote, readQuote } from "../../quotes/quote.ts";
import { isBuiltIn } from "../../rates/carrier.ts";
import { type Label, labelView, type PlainLabel } from "../label.ts";
import { type LinkSigner, linkSigner } from "../links.ts";
import { forMerchant, refusalFor } from "../merchant_view.ts";
import type { Buying } from "../parcels/commands.ts";
import { checkQuotedNames } from "../rules.ts";
import type { CreateLabel } from "../schemas.ts";
import { buyClaimed } from "./buyer.ts";
import { beginPurchase, chooseSeller, sellerOfQuote } from "./commands.ts";

/** Shows a label to a client. */
export type View = (label: PlainLabel, db: Db) => ReturnType<typeof labelView>;

/** Shows labels to clients, with links that need no key. What is the operator's own is shown to the operator alone. */
export function viewer(signer: LinkSigner): (call: Call) => View {
  return (call) => {
    const origin = originOf(call);
    return (label, { mode, now, site }) => {
      const shown = labelView(label, { origin, site, signer, mode, now });
      return call.merchant_id === null ? shown : forMerchant(shown);
    };
  };
}

/** A purchase that a request asks for, with the quote that it names. */
interface Asked {
  readonly body: CreateLabel;
  readonly quote: Quote | null;
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
      return answerTogether(call, own, { body, quote });
    }
    return answerClaimed(call, service, view(call), async (tx) => {
      checkQuoted(service, tx, { body, quote });
      const seller = quote === null ? await chooseSeller(tx, body, call) : await sellerOfQuote(tx, quote);
      return beginPurchase(tx, body, buyingOf(call, { body, quote }), seller);
    });
  };
}

/** The links of a label work without a key, so that the answer kept for a repeated request is sealed. */
const ownPurchases = (service: Service, view: (call: Call) => View): SharedAct<Asked, Label> => ({
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
function checkQuoted({ secret_key }: Service, { mode, now }: Tx, { body, quote }: Asked): void {
  if (body.quote_id === undefined || quote === null) return;
  readQuote(body.quote_id, { secret_key, mode, now });
  checkQuotedNames(quote, body);
}

const buyingOf = ({ actor, request }: Call, { body, quote }: Asked): Buying => ({
  actor,
  // A request with an Idempotency-Key of its own is never an accidental repeat.
  additional: body.additional === true || idempotencyKey(request) !== null,
  quote,
});

/** Answers with the result of a purchase that a transaction claims. */
export function answerClaimed(call: Call, service: Service, view: View, claim: (tx: Tx) => Promise<Label>) {
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
        goesOn(
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

const boughtEnding = (label: Label, view: View, tx: Tx): Ending => ({ status: 201, data: view(label, tx) });

/** Work after the answer. Its failure is logged, since no client waits for it. */
export async function told<Done>({ log }: Service, work: Promise<Done>): Promise<Done> {
  try {
    return await work;
  } catch (error) {
    // The claim expires, and then the job continues it.
    log.error("a purchase was not recorded", { error: String(error) });
    throw error;
  }
}
