import { type Static, Type } from "@sinclair/typebox";
import { type CsvColumn, csvColumn } from "../../core/csv_columns.ts";
import { choice, closed, momentField, textField } from "../../core/schema.ts";
import { cancelReasons, hasArrived, type PastStatus, pastTimestamps } from "../order.transitions.ts";
import { OrderCsvLine, orderColumns, readOnly } from "./order_csv.schema.ts";

const statuses = Object.keys(pastTimestamps) as PastStatus[];

// Columns that other files only export, or that have another meaning in a file of past orders.
const meanings: Readonly<Record<string, string>> = {
  status: `Its status: ${statuses.map((status) => `\`${status}\``).join(", ")}.`,
  quantity_cancelled: "Units of the line that were never shipped; for a cancelled order, all of them.",
  tracking_numbers: "Tracking numbers of its parcels, separated by spaces, if there are several.",
  carrier: "The carrier of its parcels.",
  service: "The carrier's service.",
  created_at: "When it was created: a date in its warehouse's time zone, or a timestamp like `2025-11-03T09:30:00Z`.",
  shipped_at: "When it shipped. Required unless it was cancelled.",
  delivered_at: "When it arrived. Required if it was delivered.",
  cancelled_at: "When it was cancelled. Required if it was.",
  cancel_reason: `Why it was cancelled: ${cancelReasons.join(", ")}. Default: \`other\`.`,
};

// Examples for a file of past orders, where those of other files do not fit.
const examples: Readonly<Record<string, string>> = {
  status: statuses.find(hasArrived) ?? "",
  created_at: "2025-11-03T09:30:00Z",
  shipped_at: "2025-11-04T15:00:00Z",
  delivered_at: "2025-11-06T11:20:00Z",
  cancelled_at: "2025-11-03T10:00:00Z",
};

const tracking_number = csvColumn(
  "tracking_number",
  "code",
  "The tracking number of its parcel. Spaces are allowed.",
  "0307 1790 0005 2348 3741",
);

function pastColumn(column: CsvColumn): CsvColumn {
  const meaning = meanings[column.name];
  if (meaning === undefined) return column;
  const { export_only: _, ...taken } = column;
  const kind = column.name === "quantity_cancelled" ? "number" : column.kind;
  return { ...taken, meaning, kind, example: examples[column.name] ?? column.example };
}

/** The columns of a CSV of past orders. */
export const pastColumns: readonly CsvColumn[] = [...orderColumns.map(pastColumn), tracking_number];

/** Those of them with another meaning than in a CSV of new orders. */
export const otherColumns = pastColumns.filter(({ name }) => name in meanings || name === tracking_number.name);

/** Columns that are exported and not read: how far units have come follows from the status. */
export const pastReadOnly: readonly string[] = readOnly.filter((name) => !(name in meanings));

/** A row of a CSV of past orders. */
export const PastOrderCsvLine = closed({
  ...OrderCsvLine.properties,
  ...Object.fromEntries(readOnly.map((name) => [name, Type.Optional(Type.Unknown())])),
  quantity_cancelled: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  tracking_number: Type.Optional(textField(100)),
  tracking_numbers: Type.Optional(textField(2_000)),
  carrier: Type.Optional(textField(100)),
  service: Type.Optional(textField(100)),
  created_at: Type.Optional(momentField()),
  shipped_at: Type.Optional(momentField()),
  delivered_at: Type.Optional(momentField()),
  cancelled_at: Type.Optional(momentField()),
  cancel_reason: Type.Optional(choice(cancelReasons)),
});
export type PastOrderCsvLine = Static<typeof PastOrderCsvLine>;
