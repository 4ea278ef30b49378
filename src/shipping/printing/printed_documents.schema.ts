import { type Static, Type } from "@sinclair/typebox";
import { actorTypes } from "../../core/actor.ts";
import { choice, closed, idField, nullable, Timestamp, textField } from "../../core/schema.ts";
import { paperSizes } from "../../documents/document.ts";
import { documentStatuses } from "./printed_document.transitions.ts";
import { printFormats, printKinds, skipCodes, slipPlaces } from "./printed_document.ts";

/** The maximum number of orders or labels in one document. */
export const document_items_max = 500;

const items = (description: string) => ({ minItems: 1, maxItems: document_items_max, description });

export const CreateDocument = closed({
  order_ids: Type.Optional(
    Type.Array(
      Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(100)]),
      items("The orders by id or order number, in the order in which they are printed. Repeated ones count once."),
    ),
  ),
  label_ids: Type.Optional(
    Type.Array(idField("label"), items("Instead of orders: only these labels, or the orders and parcels of them.")),
  ),
  manifest_id: Type.Optional(idField("manifest", "Instead of orders: the labels on this manifest.")),
  include: Type.Array(choice(printKinds), {
    minItems: 1,
    maxItems: printKinds.length,
    uniqueItems: true,
    description:
      "What is printed, in this order. A pick list is one walk for all orders, or one walk for each 200 of them. A" +
      " packing slip is that of each parcel, or of the whole order before there are parcels.",
  }),
  format: Type.Optional(
    choice(printFormats, { description: "Default: `pdf`. `zpl` is for label printers and has labels only." }),
  ),
  slips: Type.Optional(
    choice(slipPlaces, {
      description:
        "`beside_labels`: each packing slip next to its label, in the order of `include`. Default: `separate`, all" +
        " labels and all slips one after the other.",
    }),
  ),
  paper: Type.Optional(
    choice(paperSizes, {
      description: "The paper of pick lists and slips. Default: what the warehouse's country uses. Labels are 4 × 6.",
    }),
  ),
});
export type CreateDocument = Static<typeof CreateDocument>;

export const FollowDocumentLink = closed({
  mode: choice(["live", "test"], { description: "The environment of the document." }),
  expires: Type.Integer({ minimum: 0, description: "When the link ends, in seconds since 1970." }),
  signature: Type.String({ maxLength: 64, description: "Proof that the API issued the link." }),
});

const many = (description: string) => Type.Integer({ minimum: 0, description });
const order_number = Type.String({ description: "The order's number." });
const order = { order_id: Type.String({ description: "The order." }), order_number };

const plain = {
  id: Type.String({ description: "The document, such as `doc_1001`." }),
  merchant_id: nullable(Type.String({ description: "The merchant that it is for; null for the operator." })),
  status: choice(documentStatuses, { description: "`processing` until it is drawn." }),
  format: choice(printFormats, { description: "The format of the file." }),
  include: Type.Array(choice(printKinds), { description: "What was requested, in the order of the pages." }),
  progress: {
    ...closed({ done: many("Steps done so far."), total: many("Steps in total: one for each order and section.") }),
    description: "How far it is drawn.",
  },
  pages: nullable(many("Pages of the PDF or labels of the ZPL file; null until it is completed.")),
  size: nullable(many("Bytes of the file; null until it is completed.")),
  url: nullable(
    Type.String({
      description:
        "A link to the file for browsers and printers, without a key, valid for an hour; get the document again for a" +
        " new one. Null until it is completed, and if nothing could be printed.",
    }),
  ),
  error: nullable({
    ...closed({
      code: Type.Literal("not_drawn", { description: "The only code so far." }),
      message: Type.String({ description: "What went wrong." }),
    }),
    description: "Why it failed; null unless it did.",
  }),
  created_by: {
    ...closed({
      type: choice(actorTypes, { description: "What requested it: an API key, a user or the service." }),
      id: Type.String({ description: "The key or user, such as `key_1` or `usr_1`." }),
    }),
    description: "The key or user that requested it.",
  },
  created_at: Timestamp,
  completed_at: nullable(Type.String({ format: "date-time", description: "When it was drawn; null until then." })),
  expires_at: Type.String({ format: "date-time", description: "When it is deleted: a day after it was requested." }),
};

export const PlainDocumentView = closed(plain);

export const DocumentView = closed({
  ...plain,
  printed: Type.Array(
    closed({
      ...order,
      documents: Type.Array(choice(printKinds), { description: "What was printed for it." }),
      label_ids: Type.Array(Type.String(), { description: "The printed labels." }),
      reprint: many("How often any of it was printed before. If not 0, slips and pick lists say `REPRINT`."),
    }),
    { description: "The printed orders, in their order. Empty until it is completed." },
  ),
  skipped: Type.Array(
    closed({
      ...order,
      label_id: nullable(Type.String({ description: "The label concerned; null if none." })),
      document: choice(printKinds, { description: "What was not printed." }),
      code: choice(skipCodes, { description: "Why, for programs." }),
      message: Type.String({ description: "Why, as text." }),
    }),
    { description: "What was not printed, with the reason. Empty until it is completed." },
  ),
});
