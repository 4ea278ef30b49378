import type { OrderLine } from "../../api/types.ts";

/** What is counted of a line's units. */
export type Counter =
  | "reserved"
  | "backordered"
  | "picked"
  | "packed"
  | "shipped"
  | "delivered"
  | "returned"
  | "cancelled";

/** So many units of a line have come so far. */
export const unitsOf = (line: OrderLine, counter: Counter): number => line[`quantity_${counter}`];

/** Units of a line that have neither left nor been cancelled. */
export const openUnits = (line: OrderLine): number => line.quantity - line.quantity_cancelled - line.quantity_shipped;

/** Units of a line that lie picked in the house. */
export const inStaging = (line: OrderLine): number => line.quantity_picked - line.quantity_shipped;

/** Units of a line that have left and not come back. */
export const outside = (line: OrderLine): number => line.quantity_shipped - line.quantity_returned;
