import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { may } from "../../api/session.ts";
import type { Order, SplitOrder } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { ActDialog } from "../../components/act_dialog.tsx";
import { Button, LinkButton } from "../../components/button.tsx";
import type { FormValues } from "../../components/fields.tsx";
import type { IconName } from "../../components/icon.tsx";
import { ActionMenu } from "../../components/menu.tsx";
import { showRefused, showSuccess } from "../../components/toasts.tsx";
import { words } from "../../text/common.ts";
import { orderTexts as texts } from "../../text/order.ts";
import { ReturnDialog } from "../returns/create_return.tsx";
import { actionFormOf } from "./action_forms.ts";
import { LabelDialog } from "./label_dialog.tsx";
import { orderEffects } from "./order_effects.ts";
import { inStaging, outside } from "./order_facts.ts";

interface OrderActsProps {
  readonly order: Order;
  readonly etag: string | null;
}

// The actions that move an order forward, in order. The other actions are in the menu.
const onward = ["release", "process", "pick", "pack", "ship", "deliver"];
const floor = new Set(["process", "pick", "pack", "ship", "deliver"]);
const icons: Readonly<Record<string, IconName>> = {
  release: "play",
  process: "play",
  pick: "receive",
  short: "alert",
  pack: "packed",
  ship: "truck",
  deliver: "done",
  hold: "pause",
  cancel: "delete",
  cancel_items: "minus",
  split: "stack",
  label: "tag",
  return: "return",
};
const dangerous = new Set(["cancel", "cancel_items"]);
const shown_max = 3;

/** Whether the user may do this action on an order. */
export const mayAct = (action: string) => may(floor.has(action) ? "orders.fulfil" : "orders.write");

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

/** The buttons of the possible actions on an order, and the dialog of the chosen one. */
export function OrderActs({ order, etag }: OrderActsProps) {
  const [open, setOpen] = useState<string | null>(null);
  const acts = actsOf(order);
  const shown = acts.filter((action) => !dangerous.has(action)).slice(0, shown_max);
  const hidden = acts.filter((action) => !shown.includes(action));
  const changeable = ["pending", "processing", "on_hold"].includes(order.status) && may("orders.write");
  return (
    <>
      <ActionMenu
        name={texts.moreActs}
        items={hidden.map((action) => ({
          title: texts.acts[action] ?? action,
          icon: icons[action] ?? "right",
          danger: dangerous.has(action),
          run: () => setOpen(action),
        }))}
      />
      {changeable && <LinkButton icon="edit" title={texts.edit} href={to(`/orders/${order.id}/change`)} />}
      {[...shown].reverse().map((action) => (
        <Button
          key={action}
          kind={action === shown[0] ? "primary" : "normal"}
          icon={icons[action] ?? "right"}
          title={texts.acts[action] ?? action}
          onClick={() => setOpen(action)}
        />
      ))}
      {open && <OneOrderAct order={order} etag={etag} action={open} onClose={() => setOpen(null)} />}
    </>
  );
}

interface OneOrderActProps extends OrderActsProps {
  readonly action: string;
  readonly onClose: () => void;
}

/** The dialog of an action. */
export function OneOrderAct({ order, etag, action, onClose }: OneOrderActProps) {
  if (action === "label") return <LabelDialog order={order} onClose={onClose} />;
  if (action === "return") return <ReturnDialog order={order} onClose={onClose} />;
  const sheet = actionFormOf(order, action);
  if (sheet === null) return null;
  const { text, fields, first, danger, act } = sheet;
  return (
    <ActDialog<Order | SplitOrder>
      title={`${texts.acts[action]}: ${order.order_number}`}
      text={text}
      fields={fields}
      first={first}
      submit={texts.acts[action] ?? action}
      danger={danger}
      stay={danger ? texts.keep : undefined}
      etag={etag}
      act={act}
      explain={({ data, events }) => orderEffects(order, data, events)}
      onDone={(after, values) => reportDone(order, action, after, values)}
      onClose={onClose}
    />
  );
}

/** Shows the success message, with an undo if possible. */
function reportDone(order: Order, action: string, after: Order | SplitOrder, values: FormValues): void {
  if (action === "split" && "split_off" in after) {
    const { id, order_number } = after.split_off;
    showSuccess(texts.done["split"] ?? "", { title: order_number, run: () => navigate(to(`/orders/${id}`)) });
  } else showSuccess(texts.done[action] ?? "", undoOf(order, action, after, values));
}

function undoOf(order: Order, action: string, after: Order, values: FormValues) {
  const back = (run: () => Promise<unknown>) => ({ title: words.undo, run: () => void run().catch(showRefused) });
  if (action === "hold") {
    const placed = after.holds.find(({ reason }) => reason === values["reason"]);
    if (placed === undefined || order.holds.some(({ id }) => id === placed.id)) return undefined;
    return back(() => post<Order>(`/orders/${order.id}/release`, { hold_id: placed.id }));
  }
  const ended = order.holds.filter(({ id }) => !after.holds.some((hold) => hold.id === id));
  const [only] = ended;
  if (action !== "release" || only === undefined || ended.length > 1 || only.lifted_by !== "release") return undefined;
  const { reason, note, hold_until, reserve_inventory } = only;
  return back(() => post<Order>(`/orders/${order.id}/hold`, { reason, note, hold_until, reserve_inventory }));
}
