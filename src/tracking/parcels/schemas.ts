import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, momentField, nullable, textField } from "../../kit/schema.ts";
import { sheetFields } from "../../kit/sheet.ts";
import { ShipmentView } from "../../orders/schemas.ts";
import { shipmentStatuses } from "../../orders/shipments/status.ts";
import { trackingStatuses } from "../../shipping/updates/status.ts";

const filters = {
  order_id: Type.Optional(textField(100, { description: "An order's id or its order number." })),
  status: Type.Optional(choice(shipmentStatuses)),
  carrier: Type.Optional(textField(100)),
  service: Type.Optional(textField(100)),
  tracking_number: Type.Optional(textField(100, { description: "As written or as scanned." })),
  tracking_status: Type.Optional(choice(trackingStatuses, { description: "Its tracking status." })),
  created_after: Type.Optional(momentField()),
  created_before: Type.Optional(momentField()),
  shipped_after: Type.Optional(momentField()),
  shipped_before: Type.Optional(momentField()),
};

export const ListParcels = closed({ ...pageFields, ...filters });
export type ListParcels = Static<typeof ListParcels>;

export const ExportParcels = closed({ ...filters, ...sheetFields });
export type ExportParcels = Static<typeof ExportParcels>;

const moment = nullable(Type.String({ format: "date-time" }));

export const ParcelView = closed({
  ...ShipmentView.properties,
  order_id: Type.String(),
  order_number: Type.String(),
  customer_name: Type.String(),
  label_ids: Type.Array(Type.String(), { description: "Its labels, newest first, voided ones included." }),
  tracking_status: nullable(choice(trackingStatuses)),
  estimated_delivery: moment,
  estimated_delivery_day: nullable(
    Type.String({ format: "date", description: "The calendar day of the delivery at its destination." }),
  ),
});
