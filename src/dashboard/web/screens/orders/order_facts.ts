import type { LabelRecord, OrderLine } from "../../api/types.ts";
import type { PrintableDocument } from "../../components/document_dialog.tsx";
import { words } from "../../text/common.ts";
import { orderTexts as texts } from "../../text/order.ts";

/** A counter of the units of a line. */
export type LineCounter =
  | "reserved"
  | "backordered"
  | "picked"
  | "packed"
  | "shipped"
  | "delivered"
  | "returned"
  | "cancelled";

/** The units of a line in a counter. */
export const unitsOf = (line: Omit<OrderLine, "id">, counter: LineCounter): number => line[`quantity_${counter}`];

/** Units of a line that are neither shipped nor cancelled. */
export const openUnits = (line: OrderLine): number => line.quantity - line.quantity_cancelled - line.quantity_shipped;

/** Picked units of a line that have not shipped. */
export const inStaging = (line: OrderLine): number => line.quantity_picked - line.quantity_shipped;

/** Packed units of a line that have not shipped. */
export const packedUnits = (line: OrderLine): number => line.quantity_packed - line.quantity_shipped;

/** Picked units of a line that are not packed. */
export const looseUnits = (line: OrderLine): number => inStaging(line) - packedUnits(line);

/** Shipped units of a line that were not returned. */
export const outside = (line: OrderLine): number => line.quantity_shipped - line.quantity_returned;

const label_types = { pdf: "application/pdf", png: "image/png", zpl: "application/zpl" } as const;

/** The document of a label: a PDF if there is one. */
export function labelDocument(
  { label_id, documents }: Pick<LabelRecord, "label_id" | "documents">,
  number: string,
): PrintableDocument {
  const formats = documents.flatMap(({ kind, format }) => (kind === "label" ? format : []));
  const format = (["pdf", "png"] as const).find((one) => formats.includes(one)) ?? formats[0] ?? "pdf";
  return {
    title: texts.label(number),
    path: `/shipping/labels/${label_id}/document`,
    params: { format },
    type: label_types[format],
    name: `${number}.${format}`,
  };
}

interface NamedParcel {
  /** Null in a preview, for a parcel that the action would create. */
  readonly id: string | null;
  readonly tracking_number: string | null;
}

/** The name of an order's parcel: its tracking number, or "parcel 2". */
export function parcelName(all: readonly NamedParcel[], { id, tracking_number }: NamedParcel): string {
  if (tracking_number !== null) return tracking_number;
  const at = all.findIndex((parcel) => parcel.id === id);
  return texts.parcelNumber(at < 0 ? all.length + 1 : at + 1);
}

/** The name of a parcel for use within a sentence. */
export function parcelTitle(all: readonly NamedParcel[], parcel: NamedParcel): string {
  const name = parcelName(all, parcel);
  return parcel.tracking_number === null ? name : `${words.parcel} ${name}`;
}
