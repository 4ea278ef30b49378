// Restock tasks: units that wait to go back on a shelf, and a suitable bin for them.
import { iso } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";

/** Where waiting units come from: the order that released them, or the return that they came with. */
export interface RestockOrigin {
  readonly type: "order" | "return";
  /** Its identifier, such as `ord_1042` or `ret_1001`. */
  readonly id: string;
}

/** Waiting units of one stock item from one order or return. `id` is the movement that brought the first of them. */
export interface RestockTask {
  readonly id: number;
  readonly origin: RestockOrigin;
  /** The order that released them, or that the return belongs to. */
  readonly order_id: number;
  readonly merchant_id: number;
  readonly product_id: number;
  readonly sku: string;
  /** The name of the product. */
  readonly name: string;
  readonly warehouse_id: number;
  readonly bin: string;
  readonly lot_id: number | null;
  readonly lot_number: string | null;
  readonly quantity: number;
  /** When the first of them arrived (ms). */
  readonly since: number;
}

/** A storage bin that holds units of a product, or once did. */
export interface HomeBin {
  readonly product_id: number;
  readonly warehouse_id: number;
  readonly lot_id: number | null;
  readonly on_hand: number;
  readonly code: string;
  readonly pick_order: number;
  /** Units that it has room for; null when unknown. */
  readonly free: number | null;
}

/**
 * The most suitable bin with room for waiting units: one with the same lot, then one with the product, then one that
 * once held the product. Null when there is none.
 */
function suggestedBin(waiting: RestockTask, bins: readonly HomeBin[]): string | null {
  const rank = ({ lot_id, on_hand }: HomeBin) => (on_hand === 0 ? 2 : lot_id === waiting.lot_id ? 0 : 1);
  const [best] = bins
    .filter(
      ({ product_id, warehouse_id }) => product_id === waiting.product_id && warehouse_id === waiting.warehouse_id,
    )
    .filter(({ free }) => free === null || free >= waiting.quantity)
    .sort((a, b) => rank(a) - rank(b) || a.pick_order - b.pick_order || (a.code < b.code ? -1 : 1));
  return best?.code ?? null;
}

/** A restock task as the API shows it. */
export function restockTaskView(waiting: RestockTask, bins: readonly HomeBin[]) {
  const { origin, order_id, sku, name, quantity, lot_number, warehouse_id, bin, since } = waiting;
  return {
    order_id: wireId("order", order_id),
    return_id: origin.type === "return" ? origin.id : null,
    merchant_id: wireId("merchant", waiting.merchant_id),
    sku,
    name,
    quantity,
    lot_number,
    location: wireId("warehouse", warehouse_id),
    bin,
    suggested_bin: suggestedBin(waiting, bins),
    waiting_since: iso(since),
  };
}
