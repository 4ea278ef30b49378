import { iso, isoOrNull } from "../../core/clock.ts";
import type { CsvCell } from "../../core/csv.ts";
import { wireId } from "../../core/ids.ts";
import { type Order, publicStatus } from "../order.ts";

/** What the ledger records of an order that was shipped units of a lot. */
interface RecalledUnits {
  readonly quantity: number;
  /** Units whose pick no scan confirmed. According to the plan they were of this lot. */
  readonly assumed: number;
  readonly first_at: number;
  readonly last_at: number;
}

/** An order that was shipped units of a lot of this product, as the API shows it: its customer and its parcels. */
export function lotRecallView(order: Order, product_id: number, units: RecalledUnits) {
  // Picked units may have been put back before the parcel shipped. Doubtful units count as assumed.
  const assumed_quantity = Math.min(units.assumed, units.quantity);
  const gone = order.shipments.filter(({ shipped_at }) => shipped_at !== null);
  const lines = new Set(order.lines.filter((line) => line.product_id === product_id).map(({ id }) => id));
  const holding = gone.filter(({ lines: own }) => own.some(({ order_line_id }) => lines.has(order_line_id)));
  // Goods that no line names shipped as a part of something else, in any of the parcels.
  const parcels = holding.length > 0 ? holding : gone;
  return {
    order_id: wireId("order", order.id),
    order_number: order.order_number,
    status: publicStatus(order),
    customer: {
      id: wireId("customer", order.customer_id),
      email: order.customer_email,
      name: order.customer_name,
    },
    quantity: units.quantity,
    confirmed_quantity: units.quantity - assumed_quantity,
    assumed_quantity,
    shipments: parcels.map(({ id, status, carrier, tracking_number, shipped_at }) => ({
      id: wireId("shipment", id),
      status,
      carrier,
      tracking_number,
      shipped_at: isoOrNull(shipped_at),
    })),
    first_shipped_at: iso(units.first_at),
    last_shipped_at: iso(units.last_at),
  };
}

/** The columns of the trace CSV. */
export const lotRecallColumns = [
  "order_number",
  "order_id",
  "status",
  "customer_id",
  "customer_email",
  "customer_name",
  "quantity",
  "confirmed_quantity",
  "assumed_quantity",
  "tracking_numbers",
  "first_shipped_at",
  "last_shipped_at",
] as const;

/** An order of a trace as a row of `lotRecallColumns`. */
export function lotRecallCells({ customer, shipments, ...view }: ReturnType<typeof lotRecallView>): readonly CsvCell[] {
  const row: Record<(typeof lotRecallColumns)[number], CsvCell> = {
    ...view,
    customer_id: customer.id,
    customer_email: customer.email,
    customer_name: customer.name,
    tracking_numbers: shipments.flatMap(({ tracking_number }) => tracking_number ?? []).join(" "),
  };
  return lotRecallColumns.map((name) => row[name]);
}
