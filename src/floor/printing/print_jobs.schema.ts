import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, idField, nullable, timestamp } from "../../core/schema.ts";
import { printJobStatuses, printKinds } from "../floor.transitions.ts";
import { printErrorCodes } from "./print_job.ts";

const about = {
  printer: "The printer.",
  kind: "What is printed: a label, a packing slip, or a test page.",
};

export const CreatePrintJob = closed({
  printer_id: Type.Optional(idField("printer", "The printer. Exactly one of this and `station_id` is required.")),
  station_id: Type.Optional(
    idField("station", "The station: labels go to its label printer, packing slips to its document printer."),
  ),
  kind: choice(["label", "packing_slip"], { description: "What to print." }),
  label_id: Type.Optional(
    idField("label", "The label, or that of the slip's parcel. Exactly one of this and `order_id` is required."),
  ),
  order_id: Type.Optional(idField("order", "The order whose label or packing slip to print.")),
  shipment_id: Type.Optional(
    idField("shipment", "The parcel of the order. Default: the only label, or the slip of the whole order."),
  ),
});
export type CreatePrintJob = Static<typeof CreatePrintJob>;

export const ReprintJob = closed({
  printer_id: Type.Optional(idField("printer", "The printer. Default: that of the job.")),
});
export type ReprintJob = Static<typeof ReprintJob>;

const text = (description: string) => nullable(Type.String({ description }));

export const PrintJobView = closed({
  id: Type.String({ description: "The job's id, such as `prj_1001`." }),
  merchant_id: text("The merchant of the order; null for a test page."),
  printer_id: Type.String({ description: about.printer }),
  kind: choice(printKinds, { description: about.kind }),
  order_id: text("The order; null for a test page."),
  shipment_id: text("The parcel; null for the whole order."),
  label_id: text("The label; null for other documents."),
  status: choice(printJobStatuses, {
    description: "`queued` until a server sends it, also between tries. `sent` when the printer took it.",
  }),
  attempts: Type.Integer({ description: "How often it was tried to send it: at most three times." }),
  error: nullable(
    Type.Object(
      {
        code: choice(printErrorCodes, {
          description:
            "`outcome_unknown`: the connection was lost while it was sent, so it may have been printed. It is not" +
            " sent again by itself.",
        }),
        message: Type.String({ description: "The reason in words." }),
      },
      { additionalProperties: false, description: "Why it failed, or was last not sent; null if it was sent." },
    ),
  ),
  reprint_of: text("The job that it prints again; null for none."),
  created_by: Type.Object(
    {
      type: Type.String({ description: "What requested it: a user, an API key or the system." }),
      id: Type.String({ description: "The id of the user or key." }),
      name: Type.String({ description: "The name of the user or key." }),
    },
    { additionalProperties: false, description: "Who requested it." },
  ),
  created_at: timestamp("When it was queued."),
  updated_at: timestamp("When it last changed."),
  sent_at: nullable(timestamp("When the printer took it; null until then.")),
});
