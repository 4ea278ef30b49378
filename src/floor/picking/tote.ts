import { iso, isoOrNull } from "../../core/clock.ts";
import { wireId, wireIdOrNull } from "../../core/ids.ts";

/** A box or a slot of a cart, which holds the picked units of one order at a time. */
export interface Tote {
  readonly id: number;
  readonly warehouse_id: number;
  readonly code: string;
  readonly order_id: number | null;
  /** The number of its order. */
  readonly order_number: string | null;
  readonly wave_id: number | null;
  readonly assigned_at: number | null;
  /** When it was set aside because units of its order were not found (ms). */
  readonly set_aside_at: number | null;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A tote as the API shows it. */
export function toteView(tote: Tote) {
  return {
    id: wireId("tote", tote.id),
    warehouse_id: wireId("warehouse", tote.warehouse_id),
    code: tote.code,
    order_id: wireIdOrNull("order", tote.order_id),
    order_number: tote.order_number,
    wave_id: wireIdOrNull("wave", tote.wave_id),
    assigned_at: isoOrNull(tote.assigned_at),
    set_aside_at: isoOrNull(tote.set_aside_at),
    revision: tote.revision,
    created_at: iso(tote.created_at),
    updated_at: iso(tote.updated_at),
  };
}

/** The codes of numbered totes: the prefix and numbers with as many digits as the last one has. */
export function numberedCodes(prefix: string, first: number, count: number): string[] {
  const digits = String(first + count - 1).length;
  return Array.from({ length: count }, (_, at) => `${prefix}${String(first + at).padStart(digits, "0")}`);
}
