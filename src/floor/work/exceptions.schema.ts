import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, countField, idField, nullable, pageFields, several, timestamp } from "../../core/schema.ts";
import { OwnerOrOperatorView } from "../../storage/tenant.schema.ts";
import { exceptionKinds } from "./exception.ts";

const filters = {
  warehouse_id: Type.Optional(
    several(
      idField(
        "warehouse",
        "Only exceptions of these warehouses; those of no warehouse, such as failed imports, are left out.",
      ),
    ),
  ),
  min_age_minutes: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 5_256_000, description: "Only exceptions that have lasted this long." }),
  ),
};

export const CountExceptions = closed(filters);
export type CountExceptions = Static<typeof CountExceptions>;

export const ListExceptions = closed({
  ...pageFields,
  kind: Type.Optional(several(choice(exceptionKinds, { description: "Only these kinds." }))),
  ...filters,
  sort: Type.Optional(choice(["since", "-since"], { description: "`since`, the default, lists the oldest first." })),
});

const kind = choice(exceptionKinds, { description: "What kind of problem it is." });

export const ExceptionView = closed({
  id: Type.String({ description: "The record that needs a person, such as a hold `hld_3` or a label `lbl_9`." }),
  kind,
  name: Type.String({ description: "What people call it: an order number, a SKU, a URL." }),
  cause: Type.String({ description: "Why it needs a person." }),
  action: Type.String({ description: "What to do. The exception is over once its cause is gone." }),
  since: timestamp("When the cause began; of a lot, when it came within 30 days of its expiry."),
  order_id: nullable(Type.String({ description: "The order that it is about; null if none." })),
  merchant_id: OwnerOrOperatorView,
  warehouse_id: nullable(Type.String({ description: "The warehouse in which it is; null if none." })),
  api_path: Type.String({ description: "Where the API shows it: `/v1/orders/ord_1042`." }),
  dashboard_path: Type.String({ description: "Where the dashboard shows it: `/dashboard/orders/ord_1042`." }),
});

export const ExceptionCountsView = closed({
  total: countField("All exceptions that the caller may see."),
  kinds: Type.Array(closed({ kind, count: countField("Exceptions of this kind.") }), {
    description: "Every kind that the caller may see, also those without exceptions.",
  }),
});
