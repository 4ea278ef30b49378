import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, nullable } from "../../kit/schema.ts";
import { shipmentStatuses } from "../shipments/status.ts";
import { publicOrderStatuses } from "../status.ts";

export const ListTrace = closed({ ...pageFields });
export type ListTrace = Static<typeof ListTrace>;

const moment = () => Type.String({ format: "date-time" });
const count = Type.Integer({ minimum: 0 });

export const TraceView = closed({
  order_id: Type.String(),
  order_number: Type.String(),
  status: choice(publicOrderStatuses),
  customer: closed({ id: Type.String(), email: Type.String(), name: Type.String() }),
  quantity: count,
  confirmed_quantity: count,
  assumed_quantity: count,
  shipments: Type.Array(
    closed({
      id: Type.String(),
      status: choice(shipmentStatuses),
      carrier: nullable(Type.String()),
      tracking_number: nullable(Type.String()),
      shipped_at: nullable(moment()),
    }),
  ),
  first_shipped_at: moment(),
  last_shipped_at: moment(),
});
