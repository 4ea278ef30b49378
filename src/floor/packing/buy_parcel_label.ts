// Buys the labels of packed parcels: as the order or a person chooses, else the cheapest that keeps the promise.
import type { Actor } from "../../core/actor.ts";
import { asFault, Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { moneyText, value_currency } from "../../core/money.ts";
import type { Service } from "../../http/service.ts";
import { costOf, type Order } from "../../orders/order.ts";
import { lockOrder } from "../../orders/orders.sql.ts";
import { openChoice } from "../../orders/shipping_rules/shipping_choice.ts";
import { trackPurchase } from "../../outbound/lanes.ts";
import { labelCallbacks } from "../../returns/return_labels.ts";
import { buyClaimed } from "../../shipping/labels/buy_from_carrier.ts";
import { isBeingBought } from "../../shipping/labels/label.transitions.ts";
import type { ShippingLabel } from "../../shipping/labels/label.ts";
import { beginPurchase, chooseSeller, sellerOfQuote } from "../../shipping/labels/label_purchases.ts";
import type { CreateLabel } from "../../shipping/labels/labels.schema.ts";
import { isBuiltIn } from "../../shipping/rates/built_in_carrier.ts";
import { pickRate } from "../../shipping/rates/choose_rate.ts";
import { quoteParcel } from "../../shipping/rates/quote_parcel.ts";
import { findQuote } from "../../shipping/rates/quotes.sql.ts";
import { insuredCents } from "../../shipping/rates/rate_request.ts";
import type { Store, Tx } from "../../storage/database.ts";
import { buyTrackedLabel } from "../../tracking/track_label.ts";
import { printParcel } from "./close_parcel.ts";
import { describeParcel, type PackingFacts, packingFacts } from "./packed_parcel.ts";
import { lineUnitsOf, type PackingSession } from "./packing_session.ts";
import { lockPackingSession, parcelLabelQueue, savePackingSession } from "./packing_sessions.sql.ts";

/** Called in the transaction that ends a purchase, or gives it to the carrier's queue. */
type OnLabelEnd = (tx: Tx, session: PackingSession) => Promise<void>;

/**
 * Buys the label of a closed session that this server has claimed. A refusal is recorded in the session. Nothing is
 * bought twice: the claim ends in the transaction that buys the label, or opens the purchase at its carrier.
 */
export async function buyParcelLabel(
  { store, service }: { readonly store: Store; readonly service: Service },
  claim: PackingSession,
  onEnd: OnLabelEnd,
): Promise<void> {
  const input = await labelInput(store, service, claim).catch(asFault);
  const label = input instanceof Fault ? input : await store.write((tx) => buy(tx, claim, input, onEnd)).catch(asFault);
  if (label instanceof Fault) {
    await store.write(async (tx) => {
      const session = await lockClaimed(tx, claim);
      if (session === null) return;
      const failed = await savePackingSession(tx, session, { label_due_at: null, label_error: label.message });
      await onEnd(tx, failed);
    });
    return;
  }
  if (label === null || !isBeingBought(label.status)) return;
  const at = { store, service, callbacks: labelCallbacks };
  const purchase = buyClaimed(at, label, async (tx) => onEnd(tx, await lockPackingSession(tx, claim.id)));
  await trackPurchase(store.base, purchase);
}

/** Locks the order and the session of a claim; null if its label was bought since, or others have claimed it. */
async function lockClaimed(tx: Tx, { id, order_id, label_due_at }: PackingSession): Promise<PackingSession | null> {
  await lockOrder(tx, order_id);
  const session = await lockPackingSession(tx, id);
  return session.label_due_at === label_due_at ? session : null;
}

const actorOf = ({ actor_type, actor_id, actor_name }: PackingSession): Actor => ({
  type: actor_type,
  id: actor_id,
  name: actor_name,
  request_id: null,
});

/** The purchase that a session asks for. Refuses: validation_failed, carrier_refused. */
async function labelInput(store: Store, service: Service, claim: PackingSession): Promise<CreateLabel> {
  const facts = await store.read((db) => packingFacts(db, claim));
  const { order } = facts;
  const parcel = parcelInput(facts);
  const named = claim.carrier === null || claim.service === null ? order.shipping_choice : claim;
  if (named?.carrier != null && named.service !== null) {
    return { ...purchaseOf(parcel), carrier: named.carrier, service: named.service };
  }
  const { items, package: described, order_id } = parcel;
  const { data, offers } = await quoteParcel({ store, merchant_id: null }, { order_id, items, ...described }, service);
  const shipping_choice = order.shipping_choice?.choose == null ? cheapest(order) : order.shipping_choice;
  const pick = pickRate(
    { ...order, shipping_choice },
    offers.map(({ offer }) => offer),
  );
  const quote_id = pick.at === null ? undefined : data.rates[pick.at]?.quote_id;
  if (quote_id !== undefined) return { ...purchaseOf(parcel), quote_id };
  const reasons = data.messages.map(({ message }) => message);
  throw new Fault("carrier_refused", [pick.reason, ...new Set(reasons)].join(" "));
}

const cheapest = ({ shipping_choice }: Order) => ({
  ...(shipping_choice ?? openChoice),
  choose: "cheapest_in_time" as const,
});

function parcelInput(facts: PackingFacts) {
  const { order, session } = facts;
  const units = lineUnitsOf(order, session.units);
  const { weight, carton } = describeParcel(facts, units);
  const items = units.map(({ order_line_id, quantity }) => ({
    line_id: wireId("order_line", order_line_id),
    quantity,
  }));
  const described = {
    weight: weight?.text ?? "",
    weight_unit: weight?.unit ?? "g",
    dimensions: carton?.dimensions ?? null,
    ...insurance(order, units),
  };
  return { order_id: order.id, items, package: described };
}

type ParcelInput = ReturnType<typeof parcelInput>;

const purchaseOf = (parcel: ParcelInput): CreateLabel => ({ ...parcel, additional: true });

/** The value for which a parcel is insured: that of its goods, if the order's choice insures it. */
function insurance(order: Order, units: ReturnType<typeof lineUnitsOf>) {
  if (insuredCents(order) === null) return {};
  const cents = units.reduce((sum, { order_line_id, quantity }) => {
    const line = order.lines.find(({ id }) => id === order_line_id);
    return line === undefined ? sum : sum + costOf(line, quantity);
  }, 0);
  return { value: moneyText(cents, value_currency), insurance: true };
}

/** Buys a label, or opens its purchase at the carrier. Null if others have bought it. */
async function buy(
  tx: Tx,
  claim: PackingSession,
  input: CreateLabel,
  onEnd: OnLabelEnd,
): Promise<ShippingLabel | null> {
  const session = await lockClaimed(tx, claim);
  if (session === null) return null;
  const actor = actorOf(session);
  const quote = input.quote_id === undefined ? null : await findQuote(tx, input.quote_id);
  const buying = { actor, additional: true, quote };
  const is_own = quote === null ? isBuiltIn(tx.mode, input.carrier ?? "") : quote.account_id === null;
  const label = is_own
    ? await buyTrackedLabel(tx, input, buying)
    : await beginPurchase(
        tx,
        input,
        buying,
        quote === null ? await chooseSeller(tx, input, { merchant_id: null }) : await sellerOfQuote(tx, quote),
      );
  const parcel = { shipment_id: label.shipment_id ?? 0, label_id: label.id };
  const printed = await printParcel(tx, session, parcel, actor);
  if (!isBeingBought(label.status)) await onEnd(tx, printed);
  return label;
}

const claimed_max = 10;

/**
 * One round of the job `floor.buy_labels`: buys the labels of parcels whose server stopped before it had bought them.
 * Returns the next due time (ms), or null.
 */
export async function buyParcelLabels(store: Store, service: Service): Promise<number | null> {
  const { claims, next_at } = await store.write((tx) => parcelLabelQueue.claimNext(tx, claimed_max));
  for (const claim of claims) await buyParcelLabel({ store, service }, claim, async () => {});
  return next_at;
}
