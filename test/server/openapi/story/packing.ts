// Orders are packed with scans.
import type { Buyer } from "./orders.ts";
import type { Teller } from "./record_example.ts";

const device = "table-1";

export async function packing({ tell, act }: Teller, buyer: Buyer): Promise<void> {
  const ordered = async (order_number: string, quantity: number) => {
    const line_items = [{ sku: "TEA-100", quantity, unit_price: "6.00" }];
    return (await act("createOrder", { body: { order_number, ...buyer, line_items } })).data.id as string;
  };
  const [{ warehouse_id: location }] = (await act("listLocations")).data;
  await act("addInventory", { body: { sku: "TEA-100", quantity: 20, location } });
  const order_id = await ordered("SO-3001", 3);
  const { data: opened } = await tell("openPackingSession", { body: { device, order_id } });
  const path = { id: opened.id };
  await tell("scanIntoParcel", { path, body: { sku: "TEA-100" } });
  await tell("takeOutOfParcel", { path, body: { sku: "TEA-100" } });
  await act("scanIntoParcel", { path, body: { sku: "TEA-100", quantity: 2 } });
  await tell("updatePackingSession", {
    path,
    body: { weight: 2.4, weight_unit: "lb", weight_reason: "With a gift from the merchant." },
  });
  const { data: closed } = await tell("closePackingSession", { path });
  await act("voidLabel", { path: { id: closed.label.label_id } });
  await tell("buyParcelLabel", { path, body: {} });
  const { data: next } = await act("openPackingSession", { body: { device, order_id } });
  await tell("cancelPackingSession", { path: { id: next.id } });
  await tell("getPackingSession", { path: { id: next.id } });
  await tell("listPackingSessions", { query: { order_id } });
  await ordered("SO-3002", 1);
  await tell("packFromItem", { body: { device, sku: "TEA-100" } });
}
