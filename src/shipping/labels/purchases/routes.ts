import type { Db, Tx } from "../../../database/store.ts";
import { answerWrite } from "../../../http/answer.ts";
import type { Call } from "../../../http/call.ts";
import { enveloped } from "../../../http/envelope.ts";
import { idempotencyKey } from "../../../http/idempotency.ts";
import { originOf } from "../../../http/origin.ts";
import type { Service } from "../../../http/service.ts";
import { answerSlowWork, type Ending } from "../../../http/slow_work.ts";
import { goesOn } from "../../../outbound/under_way.ts";
import { labelNews } from "../../../returns/labels/commands.ts";
import { buyTrackedLabel } from "../../../tracking/labels/commands.ts";
import { readQuote } from "../../quotes/quote.ts";
import { builtInCarrier } from "../../rates/carrier.ts";
import { type Label, labelView, type PlainLabel } from "../label.ts";
import type { LinkSigner } from "../links.ts";
import { checkQuotedNames } from "../rules.ts";
import type { CreateLabel } from "../schemas.ts";
import { buyClaimed, type Ended } from "./buyer.ts";
import { beginPurchase, chooseSeller, sellerOfQuote } from "./commands.ts";

/** Shows a label to a client. */
export type View = (label: PlainLabel, db: Db) => ReturnType<typeof labelView>;

/** Shows labels to clients, with links that need no key. */
export function viewer(signer: LinkSigner): (call: Call) => View {
  return (call) => {
    const origin = originOf(call);
    return (label, { mode, now, site }) => labelView(label, { origin, site, signer, mode, now });
  };
}

/** Buys a label. Its links work without a key, so the answer kept for a repeated request is sealed. */
export async function answerPurchase(call: Call, service: Service, body: CreateLabel, view: View): Promise<Response> {
  const { secret_key } = service;
  const { mode } = call.store;
  const quoted = body.quote_id === undefined ? null : readQuote(body.quote_id, { secret_key, mode, now: 0 });
  const buying = {
    actor: call.actor,
    // A request with an Idempotency-Key of its own is never an accidental repeat.
    additional: body.additional === true || idempotencyKey(call.request) !== null,
    quote: quoted,
  };
  // A quote expires, but a repeated request still gets the first answer.
  const checkQuoted = (tx: Tx) => {
    if (body.quote_id === undefined || quoted === null) return;
    readQuote(body.quote_id, { secret_key, mode, now: tx.now });
    checkQuotedNames(quoted, body);
  };
  const own = builtInCarrier(mode).code;
  if (quoted === null ? body.carrier === undefined || body.carrier === own : quoted.account_id === null) {
    const work = async (tx: Tx) => {
      checkQuoted(tx);
      return view(await buyTrackedLabel(tx, body, buying), tx);
    };
    return answerWrite(call, 201, work, enveloped, secret_key);
  }
  return answerClaimed(call, service, view, async (tx) => {
    checkQuoted(tx);
    const seller = quoted === null ? await chooseSeller(tx, body) : await sellerOfQuote(tx, quoted);
    return beginPurchase(tx, body, buying, seller);
  });
}

/** Answers with the result of a purchase that a transaction claims. */
export function answerClaimed(call: Call, service: Service, view: View, claim: (tx: Tx) => Promise<Label>) {
  const { secret_key, carrier_patience_ms: patience_ms } = service;
  const at = { store: call.store, service, news: labelNews };
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
          call.store,
          told(
            service,
            buyClaimed(at, label, (tx, ended) => end(tx, endingOf(ended, view, tx))),
          ),
        ),
    },
    secret_key,
  );
}

const endingOf = (ended: Ended, view: View, tx: Tx): Ending =>
  ended.state === "bought" ? { status: 201, data: view(ended.label, tx) } : ended.fault;

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
