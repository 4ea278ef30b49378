// Cancels orders and units of orders. Labels of their parcels are voided first; carriers are called outside
// transactions.
import { DryRunQuery } from "../../core/schema.ts";
import type { Call } from "../../http/call.ts";
import { RehearsableView } from "../../http/rehearsals.ts";
import { answerLongWork, answerWrite } from "../../http/response.ts";
import { respond, routes } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { labelCallbacks } from "../../returns/return_labels.ts";
import { refusalFor } from "../../shipping/labels/label.ts";
import { hasCarriersLabels } from "../../shipping/labels/labels.sql.ts";
import { voidAtCarriers } from "../../shipping/labels/void_at_carrier.ts";
import {
  beginVoids,
  parcelsLosing,
  recordVoided,
  voidLabelsOfItems,
  voidLabelsOfOrder,
} from "../../shipping/labels/void_label.ts";
import type { Tx } from "../../storage/database.ts";
import { findOrderId } from "../lifecycle/order_lookup.sql.ts";
import { CancelItems, CancelOrder, OrderView } from "../order.schema.ts";
import { isCancelled } from "../order.transitions.ts";
import { type Order, orderAnswer } from "../order.ts";
import { answerOrder, requireRevision } from "../order_actions.routes.ts";
import { refuseForbidden } from "../order_lines.ts";
import { lockOrder } from "../orders.sql.ts";
import { cancelItems, cancelOrder } from "./cancel_order.ts";

/** An act by which an order loses parcels, whose labels are voided first. */
interface LabelLosingAct {
  /** The ids of the parcels. It refuses if the order may not lose them. */
  readonly losing: (order: Order) => ReadonlySet<number>;
  readonly act: (tx: Tx) => Promise<Order>;
  readonly dry_run: boolean | undefined;
}

/**
 * As `answerOrder`, for an act that voids parcels. Carriers void their labels first, outside a transaction.
 * Refuses: label_not_voidable, label_in_progress, what `losing` refuses, and as `answerOrder`.
 */
async function answerWithoutLabels(
  call: Call,
  service: Service,
  id: string,
  { losing, act, dry_run }: LabelLosingAct,
): Promise<Response> {
  const { store, actor } = call;
  const concerned = await store.read(async (db) => {
    const order_id = await findOrderId(db, id, null);
    return order_id !== null && (await hasCarriersLabels(db, order_id));
  });
  if (!concerned) return answerOrder(call, id, { dry_run }, act);
  if (dry_run) return rehearseWithoutLabels(call, id, { losing, act });
  return answerLongWork(call, async () => {
    const at = { store, service, callbacks: labelCallbacks, refusal: refusalFor(call, "voided") };
    await voidAtCarriers(at, async (tx) => {
      await call.confirm(tx);
      await requireRevision(tx, call, id);
      const order = await lockOrder(tx, id);
      return beginVoids(tx, order.id, losing(order), actor);
    });
    // The order has a new revision by now. If-Match was checked before.
    return answerWrite(call, 200, async (tx) => orderAnswer(await act(tx), tx.now));
  });
}

/** Previews such an act as if the carriers voided all labels. No carrier is called. */
function rehearseWithoutLabels(
  call: Call,
  id: string,
  { losing, act }: Omit<LabelLosingAct, "dry_run">,
): Promise<Response> {
  return answerOrder(call, id, { dry_run: true }, async (tx) => {
    const order = await lockOrder(tx, id);
    for (const claim of await beginVoids(tx, order.id, losing(order), call.actor)) {
      await recordVoided(tx, claim, "accept", call.actor);
    }
    return act(tx);
  });
}

const cancelling = {
  matches: true,
  refuses: [
    "carrier_error",
    "carrier_unauthorized",
    "invalid_state_transition",
    "label_in_progress",
    "label_not_voidable",
  ],
  answers: { 200: RehearsableView(OrderView) },
} as const;

/** Cancels an order and returns it. The labels of its parcels are voided first. */
export function answerCancellation(call: Call, service: Service, id: string, query: CancelOrder): Promise<Response> {
  return answerWithoutLabels(call, service, id, {
    dry_run: query.dry_run,
    losing: (order) => {
      if (!isCancelled(order.status)) refuseForbidden(order, "cancel");
      return new Set(order.shipments.map((shipment) => shipment.id));
    },
    act: async (tx) => {
      await voidLabelsOfOrder(tx, id, call.actor);
      return cancelOrder(tx, id, query, call.actor);
    },
  });
}

/** Routes that cancel orders and units of orders. */
export const cancellationRoutes = (service: Service) =>
  routes("Orders", [
    respond("DELETE", "/orders/:id", "orders.write", {
      id: "cancelOrder",
      summary: "Cancel an order",
      description:
        "Allowed until a parcel has left. Labels are voided first; if a carrier refuses, nothing is cancelled. Holds" +
        " end, reserved stock is freed, and picked units wait as restock tasks. Emits `order.cancelled`. Cancelling" +
        " again changes nothing. A dry run calls no carrier.",
      ...cancelling,
      query: CancelOrder,
      answer: ({ call, params, query }) => answerCancellation(call, service, params.id, query),
    }),
    respond("POST", "/orders/:id/cancel_items", "orders.write", {
      id: "cancelOrderItems",
      summary: "Cancel units of an order that have not shipped",
      description:
        "The rest of the order continues. Units outside parcels are cancelled first; labels of parcels that lose" +
        " units are voided, or nothing is cancelled. If nothing is left, the order is cancelled (`order.cancelled`);" +
        " if only packed, shipped or delivered units are left, it moves on with the matching event.",
      ...cancelling,
      body: CancelItems,
      query: DryRunQuery,
      answer: ({ call, params: { id }, body, query: { dry_run } }) =>
        answerWithoutLabels(call, service, id, {
          dry_run,
          losing: (order) => parcelsLosing(order, body.items),
          act: async (tx) => {
            await voidLabelsOfItems(tx, id, body.items, call.actor);
            return cancelItems(tx, id, body, call.actor);
          },
        }),
    }),
  ]);
