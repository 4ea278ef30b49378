// What waits to be put back on a shelf, and the bin that would suit it.
import { iso } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";

/** What units waited for: the order that gave them up, or the return with which they came back. */
export interface Giver {
  readonly type: "order" | "return";
  /** Its identifier, such as `ord_1042` or `ret_1001`. */
  readonly id: string;
}

/** Units of one stock item that wait, all from one giver. `id` is the movement that brought the first of them. */
export interface Waiting {
  readonly id: number;
  readonly giver: Giver;
  /** The order that gave them up, or that the return is of. */
  readonly order_id: number;
  readonly product_id: number;
  readonly sku: string;
  readonly warehouse_id: number;
  readonly bin: string;
  readonly lot_id: number | null;
  readonly lot_number: string | null;
  readonly quantity: number;
  /** Milliseconds: when the first of them came. */
  readonly since: number;
}

/** A storage bin in which units of a product lie, or have lain. */
export interface HomeBin {
  readonly product_id: number;
  readonly warehouse_id: number;
  readonly lot_id: number | null;
  readonly on_hand: number;
  readonly code: string;
  readonly pick_order: number;
  /** Units that it has room for; null where that is not known. */
  readonly free: number | null;
}

/**
 * The bin that suits units best: where the same lot lies, where the product lies, where it lay last; with room for
 * them. Null when there is none.
 */
function suggestedBin(waiting: Waiting, bins: readonly HomeBin[]): string | null {
  const rank = ({ lot_id, on_hand }: HomeBin) => (on_hand === 0 ? 2 : lot_id === waiting.lot_id ? 0 : 1);
  const [best] = bins
    .filter(
      ({ product_id, warehouse_id }) => product_id === waiting.product_id && warehouse_id === waiting.warehouse_id,
    )
    .filter(({ free }) => free === null || free >= waiting.quantity)
    .sort((a, b) => rank(a) - rank(b) || a.pick_order - b.pick_order || (a.code < b.code ? -1 : 1));
  return best?.code ?? null;
}

/** Units that wait, as the API shows them. */
export function waitingView(waiting: Waiting, bins: readonly HomeBin[]) {
  const { giver, order_id, sku, quantity, lot_number, warehouse_id, bin, since } = waiting;
  return {
    order_id: wireId("order", order_id),
    return_id: giver.type === "return" ? giver.id : null,
    sku,
    quantity,
    lot_number,
    location: wireId("warehouse", warehouse_id),
    bin,
    suggested_bin: suggestedBin(waiting, bins),
    waiting_since: iso(since),
  };
}
