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
  timestamp,
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
  carrier: textField(100, { description: "The carrier's code, as `POST /shipping/rates` returns it." }),
  service: textField(100, { description: "The carrier's code of the service, such as `ground`." }),
  account_id: AccountField,
  from_address: Type.Optional({
    ...ShippingAddress,
    description: "Where the parcel is sent from. Defaults to the order's shipping address.",
  }),
  to_address: Type.Optional({
    ...ShippingAddress,
    description: "Where it goes. Defaults to the merchant's `return_address`, else the warehouse.",
  }),
  package: { ...PackageField, description: "The weight and size of the parcel, and its value if it is insured." },
  additional: Type.Optional(Type.Boolean({ description: "Allows another label for the return, for another carton." })),
});
export type BuyReturnLabel = Static<typeof BuyReturnLabel>;

const method_text = "How your system pays it.";
const refund_notes_text = "Your own notes on the refund.";

export const RefundReturn = closed({
  amount: Type.Optional(
    nullable(
      moneyField(
        "The amount to pay out. Defaults to what is left of the agreed refund, else of everything refundable.",
      ),
    ),
  ),
  refund_shipping: Type.Optional(
    nullable(Type.Boolean({ description: "Whether the order's shipping is refunded, too. Defaults to the return's." })),
  ),
  restocking_fee: Type.Optional(nullable(moneyField("The fee to keep. Defaults to what is left of the return's."))),
  method: Type.Optional(choice(refundMethods, { description: `${method_text} Defaults to \`original_payment\`.` })),
  notes: Type.Optional(nullable({ ...notesField(), description: refund_notes_text })),
});
export type RefundReturn = Static<typeof RefundReturn>;

export const ReportRefund = closed({
  status: choice(refundReports, {
    description: "What became of the payment. `failed` makes the amount refundable again.",
  }),
});
export type ReportRefund = Static<typeof ReportRefund>;

export const RefundView = closed({
  refund_id: Type.String({ description: "The refund, such as `rfd_1001`." }),
  return_id: Type.String(),
  amount: Type.Number({ description: "The amount to pay out: `items` + `shipping` − `restocking_fee`." }),
  currency: Type.String(),
  breakdown: {
    ...closed({
      items: Type.Number({ description: "For the accepted units, at the prices paid." }),
      shipping: Type.Number({ description: "For the order's shipping." }),
      restocking_fee: Type.Number({ description: "The fee, which is subtracted." }),
    }),
    description: "The parts of `amount`.",
  },
  method: choice(refundMethods, { description: method_text }),
  refund_status: choice(refundStatuses, {
    description:
      "`processing` until your system reports `refunded` or `failed`. The other words occur only on returns.",
  }),
  notes: nullable(Type.String({ description: refund_notes_text })),
  estimated_completion: Type.String({
    pattern: "^\\d{4}-\\d{2}-\\d{2}$",
    description: "The day by which it should be paid: seven weekdays after it was recorded.",
  }),
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
    description: "The order that shipped the units: its id, or its order number as text.",
  });

const shipping_texts = {
  carrier: "The carrier of the parcel that comes back; a known carrier gives it a `tracking_url`.",
  tracking_number: "The number of the parcel that comes back.",
};
const customer_email_text = "The buyer's email address. A new return has the order's by default.";

const ShippingField = closed(
  {
    carrier: Type.Optional(nullable(textField(100, { min: 0, description: shipping_texts.carrier }))),
    tracking_number: Type.Optional(nullable(textField(100, { min: 0, description: shipping_texts.tracking_number }))),
    label_url: Type.Optional(
      nullable(
        Type.String({
          pattern: "^https?://[^\\s]+$",
          maxLength: 2000,
          hint: "must be a URL, such as https://…",
          description: "Where the label can be downloaded.",
        }),
      ),
    ),
    status: Type.Optional(
      choice(returnShippingStatuses, { description: "Where the parcel is; shown only while its number has no scans." }),
    ),
  },
  ["tracking_url"],
);

const agreed_text = "The agreed refund in all; null to compute it from the accepted units.";
const shipping_refund_text = "Whether the order's shipping is refunded, too.";
const fee_text = "The fee to subtract from the computed refund; null for none.";

const termFields = {
  return_shipping: Type.Optional(
    nullable({
      ...ShippingField,
      description:
        "The parcel that comes back, if the label was not bought here. Omitted fields stay; null clears all.",
    }),
  ),
  refund_amount: Type.Optional(nullable(moneyField(agreed_text))),
  refund_shipping: Type.Optional(
    Type.Boolean({ description: `${shipping_refund_text} False by default in a new return.` }),
  ),
  restocking_fee: Type.Optional(nullable(moneyField(fee_text))),
  customer_email: Type.Optional(
    nullable(
      Type.String({
        maxLength: 254,
        pattern: "^[^\\s@]{1,64}@[^\\s@]+$",
        hint: "must be an email address",
        description: customer_email_text,
      }),
    ),
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

const reported_text = "The condition that the buyer reports; null if unknown.";
const reason_text = "Why the buyer returns the units.";

const RequestedItem = closed(
  {
    sku: textField(100, { description: "A SKU of the order; of a bundle, the bundle." }),
    quantity: quantityField("Units to return, at most those shipped that are in no other return."),
    condition: Type.Optional(nullable(choice(conditions, { description: reported_text }))),
    notes: Type.Optional(
      nullable({ ...notesField(), description: "What the buyer says. Required on one item if `reason` is `other`." }),
    ),
  },
  ["quantity_received", "inspections"],
);

export const CreateReturn = closed(
  {
    order_id: orderField(),
    reason: choice(returnReasons, { description: reason_text }),
    items: Type.Optional(
      Type.Array(RequestedItem, {
        minItems: 1,
        maxItems: items_max,
        description: "The units to return. Defaults to all shipped units that are in no other return.",
      }),
    ),
    ...termFields,
  },
  readOnly,
);
export type CreateReturn = Static<typeof CreateReturn>;

export const UpdateReturn = closed(termFields, [...readOnly, "order_id", "reason", "items"]);
export type UpdateReturn = Static<typeof UpdateReturn>;

export const ReceiveReturn = closed({
  items: Type.Optional(
    Type.Array(
      closed({
        sku: textField(100, { description: "A SKU of the return." }),
        quantity: quantityField("Units that have arrived now."),
      }),
      { minItems: 1, maxItems: items_max, description: "What has arrived. Defaults to all units still expected." },
    ),
  ),
  announced: Type.Optional(
    Type.Boolean({
      description:
        "False if the units arrived unannounced and the return was created for them. Defaults to true; for billing.",
    }),
  ),
});
export type ReceiveReturn = Static<typeof ReceiveReturn>;

const finding_notes_text = "What the inspector noted.";

const Finding = closed({
  sku: textField(100, { description: "The SKU of the inspected units, one of the return." }),
  quantity: quantityField("Units with this finding."),
  condition: Type.Optional(
    nullable(
      choice(conditions, { description: "The condition found. Defaults to the reported one, if there is one." }),
    ),
  ),
  disposition: Type.Optional(
    nullable(
      choice(dispositions, {
        description:
          "Where the units go. By default `unopened` is restocked unless cooled, `damaged`, `defective` and `expired`" +
          " are disposed of, and the rest is quarantined.",
      }),
    ),
  ),
  lot_number: Type.Optional(
    nullable(
      textField(100, { description: "The lot that came back. Required if units of several lots were shipped." }),
    ),
  ),
  bin: Type.Optional(
    nullable(textField(100, { description: "For `restock`: the bin. Without it, the units become a restock task." })),
  ),
  notes: Type.Optional(nullable({ ...notesField(), description: finding_notes_text })),
});
export const InspectReturn = closed({
  items: Type.Array(Finding, {
    minItems: 1,
    maxItems: items_max,
    description: "The findings, which must cover all received units. A SKU may have several.",
  }),
});
export type InspectReturn = Static<typeof InspectReturn>;

const text = nullable(Type.String());

const InspectionView = closed({
  quantity: Type.Integer({ description: "Units that were found so." }),
  condition: choice(conditions, { description: "The condition that the inspection found." }),
  disposition: choice(dispositions, { description: "Where they went; only `return_to_sender` is not refundable." }),
  lot_number: nullable(Type.String({ description: "The lot that came back; null if none or unknown." })),
  notes: nullable(Type.String({ description: finding_notes_text })),
});

const returnFields = {
  id: Type.String(),
  merchant_id: OwnerView,
  order_id: Type.String(),
  status: choice(returnStatuses, {
    description: "`received` once the first unit has arrived; `completed` once refunded or closed.",
  }),
  reason: choice(returnReasons, { description: reason_text }),
  items: Type.Array(
    closed({
      sku: Type.String(),
      quantity: Type.Integer({ description: "Units to be returned." }),
      quantity_received: Type.Integer({ description: "Of these, units that have arrived." }),
      condition: nullable(choice(conditions, { description: reported_text })),
      notes: nullable(Type.String({ description: "What the buyer says about them; null if nothing." })),
      inspections: Type.Array(InspectionView, { description: "What the inspection found; empty before it." }),
    }),
    { description: "The units of the return, by SKU, reported condition and notes." },
  ),
  return_shipping: {
    ...closed({
      carrier: nullable(Type.String({ description: "The carrier that brings the parcel back." })),
      tracking_number: text,
      label_url: nullable(
        Type.String({ description: "The URL of the label; one bought here can be read only with a key." }),
      ),
      tracking_url: text,
      status: choice(returnShippingStatuses, {
        description: "Where the parcel is, by its scans; without any, as you set it.",
      }),
    }),
    description: "The parcel that comes back. Its fields are null until one is known.",
  },
  refund_status: choice(refundStatuses, {
    description:
      "Of all refunds: `pending` before the first, `refunded` once nothing is left, `failed` if all have failed.",
  }),
  refund_amount: nullable(Type.Number({ description: agreed_text })),
  refund_shipping: Type.Boolean({ description: shipping_refund_text }),
  restocking_fee: nullable(Type.Number({ description: fee_text })),
  currency: Type.String(),
  customer_email: nullable(Type.String({ description: "The buyer's email address; null if unknown." })),
  refunds: Type.Array(RefundView, { description: "The refunds recorded so far, oldest first." }),
  allowed_actions: Type.Array(choice(Object.keys(returnTransitions) as (keyof typeof returnTransitions)[])),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
  arrived_at: nullable(
    Type.String({
      format: "date-time",
      description: "When the carrier delivered the parcel to the dock, by its scans; null before.",
    }),
  ),
  received_at: nullable(timestamp("When the first units were received; null before.")),
  inspected_at: nullable(timestamp("When it was inspected; null before.")),
  completed_at: nullable(timestamp("When it was first refunded, or closed; null before.")),
};
export const ReturnView = closed(returnFields);

/** A return in the dry run of the act that creates it. */
export const ReturnPreview = closed({ ...returnFields, id: newId });

/** An inspected return with its restock tasks. */
export const InspectedView = closed({
  ...returnFields,
  putbacks: Type.Array(RestockTaskView, { description: "Units to restock that still wait for a bin." }),
});
