// The due date and unit count of an order, shared by the list and the board.
import type { Order } from "../../api/types.ts";
import { now } from "../../components/now.ts";
import { clock, shortDateTime } from "../../text/format.ts";
import { orderListTexts as texts } from "../../text/order_list.ts";

/** The units of an order that are not cancelled. */
export function unitsOf({ line_items }: Order): number {
  return line_items.reduce((sum, line) => {
    const { quantity, quantity_cancelled = 0 } = line as { quantity: number; quantity_cancelled?: number };
    return sum + quantity - quantity_cancelled;
  }, 0);
}

const not_shipped: readonly string[] = ["pending", "processing", "fulfilled"];

/** How urgent an order is, as text and tone. Null once it has shipped. */
function dueOf({ ship_by, status, held_from }: Order): { text: string; tone: "bad" | "warning" | "neutral" } | null {
  if (ship_by === null || !not_shipped.includes(held_from ?? status)) return null;
  const at = new Date(ship_by);
  if (at.getTime() < now.value) return { text: texts.lateSince(shortDateTime(ship_by)), tone: "bad" };
  if (at.toDateString() === new Date(now.value).toDateString()) {
    return { text: texts.dueToday(clock(ship_by)), tone: "warning" };
  }
  return { text: shortDateTime(ship_by), tone: "neutral" };
}

/** The ship date of an order, colored by urgency. */
export function Due({ order }: { readonly order: Order }) {
  const due = dueOf(order);
  return due === null ? <>–</> : <span class={`due ${due.tone}`}>{due.text}</span>;
}
