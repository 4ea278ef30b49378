import { type Static, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  moneyField,
  newId,
  notesField,
  nullable,
  quantityField,
  Timestamp,
  textField,
} from "../core/schema.ts";
import { RestockTaskView } from "../inventory/receiving/restock_task.schema.ts";
import { AccountField, PackageField } from "../shipping/labels/labels.schema.ts";
import { ShippingAddress } from "../shipping/shipping.schema.ts";
import { OwnerView } from "../storage/tenant.schema.ts";
import {
  conditions,
  dispositions,
  refundMethods,
  refundReports,
  refundStatuses,
  returnReasons,
  returnShippingStatuses,
  returnStatuses,
  returnTransitions,
} from "./return.transitions.ts";

export const BuyReturnLabel = closed({
  carrier: textField(100),
  service: textField(100),
  account_id: AccountField,
  from_address: Type.Optional(ShippingAddress),
  to_address: Type.Optional(ShippingAddress),
  package: PackageField,
  additional: Type.Optional(Type.Boolean({ description: "Allows another label for the return, for another carton." })),
});
export type BuyReturnLabel = Static<typeof BuyReturnLabel>;

export const RefundReturn = closed({
  amount: Type.Optional(nullable(moneyField("The amount to refund; by default, everything refundable."))),
  refund_shipping: Type.Optional(nullable(Type.Boolean())),
  restocking_fee: Type.Optional(nullable(moneyField())),
  method: Type.Optional(choice(refundMethods)),
  notes: Type.Optional(nullable(notesField())),
});
export type RefundReturn = Static<typeof RefundReturn>;

export const ReportRefund = closed({ status: choice(refundReports) });
export type ReportRefund = Static<typeof ReportRefund>;

export const RefundView = closed({
  refund_id: Type.String(),
  return_id: Type.String(),
  amount: Type.Number(),
  currency: Type.String(),
  breakdown: closed({ items: Type.Number(), shipping: Type.Number(), restocking_fee: Type.Number() }),
  method: choice(refundMethods),
  refund_status: choice(refundStatuses),
  notes: nullable(Type.String()),
  estimated_completion: Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

/** A refund in the dry run of the act that creates it. */
export const RefundPreview = closed({ ...RefundView.properties, refund_id: newId });

/** The maximum number of items of a return. */
export const items_max = 500;

/** An order in a request: an integer id, `ord_1042`, or its order number. */
const orderField = () =>
  Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(100)], {
    hint: "must be an order id or an order number",
  });

const ShippingField = closed(
  {
    carrier: Type.Optional(nullable(textField(100, { min: 0 }))),
    tracking_number: Type.Optional(nullable(textField(100, { min: 0 }))),
    label_url: Type.Optional(
      nullable(
        Type.String({ pattern: "^https?://[^\\s]+$", maxLength: 2000, hint: "must be a URL, such as https://…" }),
      ),
    ),
    status: Type.Optional(choice(returnShippingStatuses)),
  },
  ["tracking_url"],
);

const termFields = {
  return_shipping: Type.Optional(nullable(ShippingField)),
  refund_amount: Type.Optional(nullable(moneyField("The agreed refund."))),
  refund_shipping: Type.Optional(Type.Boolean()),
  restocking_fee: Type.Optional(nullable(moneyField())),
  customer_email: Type.Optional(
    nullable(Type.String({ maxLength: 254, pattern: "^[^\\s@]{1,64}@[^\\s@]+$", hint: "must be an email address" })),
  ),
};

const readOnly = [
  "merchant_id",
  "id",
  "status",
  "refund_status",
  "currency",
  "refunds",
  "allowed_actions",
  "revision",
  "created_at",
  "updated_at",
  "arrived_at",
  "received_at",
  "inspected_at",
  "completed_at",
];

const RequestedItem = closed(
  {
    sku: textField(100),
    quantity: quantityField(),
    condition: Type.Optional(nullable(choice(conditions))),
    notes: Type.Optional(nullable(notesField())),
  },
  ["quantity_received", "inspections"],
);

export const CreateReturn = closed(
  {
    order_id: orderField(),
    reason: choice(returnReasons),
    items: Type.Optional(Type.Array(RequestedItem, { minItems: 1, maxItems: items_max })),
    ...termFields,
  },
  readOnly,
);
export type CreateReturn = Static<typeof CreateReturn>;

export const UpdateReturn = closed(termFields, [...readOnly, "order_id", "reason", "items"]);
export type UpdateReturn = Static<typeof UpdateReturn>;

export const ReceiveReturn = closed({
  items: Type.Optional(
    Type.Array(closed({ sku: textField(100), quantity: quantityField() }), { minItems: 1, maxItems: items_max }),
  ),
  announced: Type.Optional(
    Type.Boolean({ description: "False if the units arrived unannounced and the return was created for them." }),
  ),
});
export type ReceiveReturn = Static<typeof ReceiveReturn>;

const Finding = closed({
  sku: textField(100),
  quantity: quantityField(),
  condition: Type.Optional(nullable(choice(conditions))),
  disposition: Type.Optional(nullable(choice(dispositions))),
  lot_number: Type.Optional(nullable(textField(100))),
  bin: Type.Optional(nullable(textField(100))),
  notes: Type.Optional(nullable(notesField())),
});
export const InspectReturn = closed({ items: Type.Array(Finding, { minItems: 1, maxItems: items_max }) });
export type InspectReturn = Static<typeof InspectReturn>;

const text = nullable(Type.String());

const InspectionView = closed({
  quantity: Type.Integer(),
  condition: choice(conditions),
  disposition: choice(dispositions),
  lot_number: text,
  notes: text,
});

const returnFields = {
  id: Type.String(),
  merchant_id: OwnerView,
  order_id: Type.String(),
  status: choice(returnStatuses),
  reason: choice(returnReasons),
  items: Type.Array(
    closed({
      sku: Type.String(),
      quantity: Type.Integer(),
      quantity_received: Type.Integer(),
      condition: nullable(choice(conditions)),
      notes: text,
      inspections: Type.Array(InspectionView),
    }),
  ),
  return_shipping: closed({
    carrier: text,
    tracking_number: text,
    label_url: text,
    tracking_url: text,
    status: choice(returnShippingStatuses),
  }),
  refund_status: choice(refundStatuses),
  refund_amount: nullable(Type.Number()),
  refund_shipping: Type.Boolean(),
  restocking_fee: nullable(Type.Number()),
  currency: Type.String(),
  customer_email: text,
  refunds: Type.Array(RefundView),
  allowed_actions: Type.Array(choice(Object.keys(returnTransitions) as (keyof typeof returnTransitions)[])),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
  arrived_at: nullable(
    Type.String({
      format: "date-time",
      description: "When the carrier delivered the parcel to the dock.",
    }),
  ),
  received_at: nullable(Timestamp),
  inspected_at: nullable(Timestamp),
  completed_at: nullable(Timestamp),
};
export const ReturnView = closed(returnFields);

/** A return in the dry run of the act that creates it. */
export const ReturnPreview = closed({ ...returnFields, id: newId });

/** An inspected return with its restock tasks. */
export const InspectedView = closed({ ...returnFields, putbacks: Type.Array(RestockTaskView) });
