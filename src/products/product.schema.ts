import { type Static, Type } from "@sinclair/typebox";
import { createFields, groupSchema, updateFields, viewFields } from "../core/resource_schema.ts";
import { choice, closed, Timestamp, textField } from "../core/schema.ts";
import { OwnerView, ofMerchant } from "../storage/tenant.schema.ts";
import { productFields } from "./product.resource.ts";
import { packLevels } from "./product.ts";

/** Length, width and height in one unit. */
export const Dimensions = groupSchema(productFields.dimensions.fields);

const { level, quantity } = productFields.packs.of;

/** What a pack of a product is. */
export const PackKind = groupSchema({ level, quantity });

/** The pack in which a request says that units were handled. */
export const handledPack = Type.Optional({
  ...PackKind,
  description: "The pack in which they were handled, one of the product's `packs`. Default: single units.",
});

/** Packs that were handled. */
export const HandledPacks = closed({
  level: choice(packLevels, { description: "What the packs are." }),
  quantity: Type.Integer({ minimum: 2, description: "The units in each." }),
  count: Type.Integer({ minimum: 1, description: "The number of packs." }),
});

const readOnly = ["merchant_id", "id", "revision", "created_at", "updated_at"];

const required = createFields(productFields);
const changes = updateFields(productFields);

export const CreateProduct = closed({ ...ofMerchant, ...required }, readOnly);
export type CreateProduct = Static<typeof CreateProduct>;

export const UpdateProduct = closed(
  {
    ...changes,
    sku: Type.Optional(textField(100, { description: "Cannot be changed: only the product's own SKU is accepted." })),
  },
  readOnly,
);
export type UpdateProduct = Static<typeof UpdateProduct>;

/** A row of a file. An existing product keeps what the row leaves out. */
export const ImportProduct = closed({ ...changes, sku: required.sku });
export type ImportProduct = Static<typeof ImportProduct>;

export const ProductView = closed({
  id: Type.String(),
  merchant_id: OwnerView,
  ...viewFields(productFields),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
