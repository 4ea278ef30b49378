import { orderTexts as texts } from "../../texts/order.ts";

interface Named {
  readonly id: string;
  readonly tracking_number: string | null;
}

/** What people call a parcel of an order: its tracking number, or which of the order's parcels it is. */
export function parcelName(all: readonly Named[], { id, tracking_number }: Named): string {
  if (tracking_number !== null) return tracking_number;
  const at = all.findIndex((parcel) => parcel.id === id);
  return texts.parcelNumber(at < 0 ? all.length + 1 : at + 1);
}

/** The same within a sentence. */
export function parcelTitle(all: readonly Named[], parcel: Named): string {
  const name = parcelName(all, parcel);
  return parcel.tracking_number === null ? name : `${texts.parcel} ${name}`;
}
