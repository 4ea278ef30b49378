import type { OrderLine } from "../../api/types.ts";

/** A counter of the units of a line. */
export type Counter =
  | "reserved"
  | "backordered"
  | "picked"
  | "packed"
  | "shipped"
  | "delivered"
  | "returned"
  | "cancelled";

/** The units of a line in a counter. */
export const unitsOf = (line: OrderLine, counter: Counter): number => line[`quantity_${counter}`];

/** Units of a line that are neither shipped nor cancelled. */
export const openUnits = (line: OrderLine): number => line.quantity - line.quantity_cancelled - line.quantity_shipped;

/** Picked units of a line that have not shipped. */
export const inStaging = (line: OrderLine): number => line.quantity_picked - line.quantity_shipped;

/** Shipped units of a line that have not come back. */
export const outside = (line: OrderLine): number => line.quantity_shipped - line.quantity_returned;
