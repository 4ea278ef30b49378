// Parcels for the fuzzer.
import type { Answered } from "../../../build/service.ts";

type Fields = Readonly<Record<string, unknown>>;
type Ask = (method: string, path: string, body?: Fields) => Promise<Answered["body"]>;

/** A product with stock, and its buyer. */
interface Shelf {
  readonly sku: string;
  readonly location: string;
  readonly buyer: Fields;
}

/** Parcels that are being packed, and one that is packed. */
export async function parcelsToPack(ask: Ask, { sku, buyer, location }: Shelf) {
  const device = "table-1";
  const ordered = async (name: string) => {
    const order = { ...buyer, warehouse_id: location, line_items: [{ sku, quantity: 2, unit_price: "5.00" }] };
    return (await ask("POST", "/orders", { ...order, order_number: `${sku} ${name}` })).id as string;
  };
  const opened = async (name: string) => {
    const { id } = await ask("POST", "/packing_sessions", { device, order_id: await ordered(name) });
    await ask("POST", `/packing_sessions/${id}/scans`, { sku });
    return { id: id as string };
  };
  const packed = await opened("in a parcel");
  const { label } = await ask("POST", `/packing_sessions/${packed.id}/close`, {});
  await ask("POST", `/shipping/labels/${label.label_id}/void`, {});
  const [scanned, closed] = [await opened("scanned"), await opened("closed")];
  const one = { ...buyer, warehouse_id: location, line_items: [{ sku, quantity: 1, unit_price: "5.00" }] };
  await ask("POST", "/orders", { ...one, order_number: `${sku} single` });
  return {
    openPackingSession: { body: { device, order_id: await ordered("to pack") } },
    packFromItem: { body: { device, sku } },
    getPackingSession: { path: scanned },
    scanIntoParcel: { path: scanned, body: { sku } },
    takeOutOfParcel: { path: await opened("taken out"), body: { sku } },
    updatePackingSession: {
      path: await opened("weighed"),
      body: { weight: 3, weight_unit: "lb", weight_reason: "With ice." },
    },
    closePackingSession: { path: closed },
    cancelPackingSession: { path: await opened("given up") },
    buyParcelLabel: { path: packed, body: {} },
  };
}
