import type { Rehearsal } from "../../api/client.ts";
import { may } from "../../api/session.ts";
import type { Order, RehearsedOrder, SplitOrder } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import type { FormValues } from "../../components/fields.tsx";
import type { IconName } from "../../components/icon.tsx";
import { words } from "../../text/common.ts";
import { orderTexts as texts } from "../../text/order.ts";
import { createReturn } from "../returns/create_return.tsx";
import { actionFormOf } from "./action_forms.ts";
import { buyLabel } from "./label_dialog.tsx";
import { orderEffects } from "./order_effects.ts";
import { inStaging, outside } from "./order_facts.ts";
import { undoSteps } from "./undo_steps.ts";

// The actions that move an order forward, in order. The other actions are in the menu.
const onward = ["release", "process", "pick", "pack", "ship", "deliver"];
const floor = new Set(["process", "pick", "pack", "unpick", "unpack", "ship", "deliver"]);
const icons: Readonly<Record<string, IconName>> = {
  release: "play",
  process: "play",
  pick: "receive",
  short: "alert",
  pack: "packed",
  unpick: "return",
  unpack: "open",
  ship: "truck",
  deliver: "done",
  hold: "pause",
  cancel: "delete",
  cancel_items: "minus",
  split: "stack",
};
const dangerous = new Set(["cancel", "cancel_items"]);
// These are always in the menu.
const backward = new Set(["unpick", "unpack"]);
const shown_max = 3;

/** Whether the user may do this action on an order. */
export const mayAct = (action: string) => may(floor.has(action) ? "orders.fulfill" : "orders.write");

/** Whether the order has a hold that can be released. Other holds end when their cause is resolved. */
export const isReleasable = (order: Order) => order.holds.some(({ lifted_by }) => lifted_by === "release");

/** The possible actions on the order, the main one first. */
function actsOf(order: Order): string[] {
  const isOfUse = (action: string) => mayAct(action) && (action !== "release" || isReleasable(order));
  const allowed: string[] = order.allowed_actions.filter(isOfUse);
  const packed = order.fulfillment_status !== "unfulfilled";
  // Once everything is picked, packing is offered before picking.
  const unpicked = order.line_items.some((line) => line.quantity_reserved > inStaging(line));
  const first = onward.filter((action) => allowed.includes(action) && !(action === "pick" && !unpicked));
  const rest = allowed.filter((action) => !first.includes(action));
  const more = [
    ...(allowed.includes("pick") && unpicked ? ["short"] : []),
    ...(order.allowed_actions.includes("ship") && may("shipping.buy") ? ["label"] : []),
    ...(packed && canReturn(order) && may("returns.write") ? ["return"] : []),
  ];
  return [...first, ...more, ...rest];
}

/** Whether shipped units can still be returned. */
export const canReturn = (order: Order) => order.line_items.some((line) => outside(line) > 0);

/** The buttons and the menu of the possible actions on an order. */
export function OrderActs({ order, etag }: { readonly order: Order; readonly etag: string | null }) {
  const acts = actsOf(order);
  const shown = acts.filter((name) => !dangerous.has(name) && !backward.has(name)).slice(0, shown_max);
  const actions = acts.flatMap((name) => {
    const action = orderAction(order, etag, name);
    const button: Action["button"] = name === shown[0] ? "primary" : shown.includes(name);
    return action === null ? [] : { ...action, button };
  });
  const edit: Action = {
    title: words.edit,
    icon: "edit",
    button: true,
    permission: "orders.write",
    when: ["pending", "processing", "on_hold"].includes(order.status),
    href: to(`/orders/${order.id}/change`),
  };
  return <Actions name={texts.moreActs} of={[...actions, edit]} />;
}

/** An action on an order by its name, with its form and a preview; null if there is none in the dashboard. */
export function orderAction(order: Order, etag: string | null, name: string): Action | null {
  const title = texts.acts[name] ?? name;
  if (name === "return") return createReturn(order);
  if (name === "label") return buyLabel(order);
  const form = actionFormOf(order, name);
  if (form === null) return null;
  const { call, ...asked } = form;
  const danger = dangerous.has(name);
  return {
    title,
    icon: icons[name] ?? "right",
    danger,
    ask: {
      ...asked,
      title: `${title}: ${order.order_number}`,
      stay: danger ? texts.keep : undefined,
      explain: ({ data, events }: Rehearsal<RehearsedOrder>) => orderEffects(order, data, events),
    },
    call,
    match: etag,
    done: texts.done[name] ?? "",
    next: (after: Order | SplitOrder, values) =>
      "split_off" in after
        ? { title: after.split_off.order_number, href: to(`/orders/${after.split_off.id}`) }
        : undoOf(order, name, after, values),
  };
}

/** The action that takes back a pick, a pack, a hold or a release, if it can be taken back. */
function undoOf(order: Order, name: string, after: Order, values: FormValues): Action | undefined {
  if (name === "pick" || name === "pack") {
    return undoSteps([{ before: order, after }], (step) => texts.done[step] ?? "");
  }
  if (name === "hold") {
    const placed = after.holds.find(({ reason }) => reason === values["reason"]);
    if (placed === undefined || order.holds.some(({ id }) => id === placed.id)) return undefined;
    const body = { hold_id: placed.id };
    return { title: words.undo, call: { method: "POST", path: `/orders/${order.id}/release`, body } };
  }
  const ended = order.holds.filter(({ id }) => !after.holds.some((hold) => hold.id === id));
  const [only] = ended;
  if (name !== "release" || only === undefined || ended.length > 1 || only.lifted_by !== "release") return undefined;
  const { reason, note, hold_until, reserve_inventory } = only;
  const body = { reason, note, hold_until, reserve_inventory };
  return { title: words.undo, call: { method: "POST", path: `/orders/${order.id}/hold`, body } };
}
