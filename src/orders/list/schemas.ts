import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, idField, momentField, textField } from "../../kit/schema.ts";
import { publicOrderStatuses } from "../status.ts";

/** What a list of orders can be narrowed to, however it is given out. */
export const orderFilters = {
  status: Type.Optional(choice(publicOrderStatuses, { description: "A held order is `on_hold` and nothing else." })),
  customer_id: Type.Optional(idField("customer")),
  order_number: Type.Optional(textField(100, { description: "The whole order number, as it is written." })),
  created_after: Type.Optional(momentField()),
  created_before: Type.Optional(momentField()),
  updated_after: Type.Optional(momentField()),
  imported: Type.Optional(
    Type.Boolean({ description: "Orders of the past, brought in from elsewhere; or all others." }),
  ),
  q: Type.Optional(
    textField(200, {
      description:
        "Words of which each must mean the order: the beginning of its order number or of the digits at its end, its" +
        " id (`ord_1042`), the beginning of a word of its customer's name, company or e-mail address, of a SKU, or of" +
        " a tracking number; upper and lower case count alike. A tracking number may be written in groups. Without" +
        " totals when more than 10,000 orders might match; a page may then be short although `has_more` is true.",
    }),
  ),
  sort: Type.Optional(
    choice(["created_at", "-created_at", "priority"], {
      description:
        "The newest first unless given; `priority` the most urgent first, and of these the first to come in.",
    }),
  ),
};

export const ListOrders = closed({ ...pageFields, ...orderFilters });
export type ListOrders = Static<typeof ListOrders>;

export const FilterOrders = closed(orderFilters);
export type FilterOrders = Static<typeof FilterOrders>;
