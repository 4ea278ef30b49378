import { iso } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import { money } from "../../kit/money.ts";
import type { PublicOrderStatus } from "../status.ts";

/** An order in few words, as the history of its customer lists it. */
export interface OrderSummary {
  readonly id: number;
  readonly order_number: string;
  readonly status: PublicOrderStatus;
  readonly total_cents: number;
  readonly currency: string;
  /** Units ordered, over all lines. */
  readonly item_count: number;
  readonly created_at: number;
}

/** The summary as the API shows it. */
export function orderSummaryView({ id, total_cents, created_at, ...same }: OrderSummary) {
  return { id: wireId("order", id), ...same, total: money(total_cents), created_at: iso(created_at) };
}
