import { type Static, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  codeField,
  countField,
  idField,
  nullable,
  several,
  Timestamp,
  timestamp,
} from "../../core/schema.ts";
import { paperSizes } from "../../documents/document.ts";

const warehouseField = Type.Optional(idField("warehouse", "The warehouse. Required if there are several."));
const about_code = "What its barcode says. Unique in its warehouse, whatever the case.";
const code = codeField(40, { description: about_code });

export const CreateTote = closed({ warehouse_id: warehouseField, code });
export type CreateTote = Static<typeof CreateTote>;

export const CreateTotes = closed({
  warehouse_id: warehouseField,
  prefix: codeField(30, { description: "How each code begins, such as `T-`." }),
  first: Type.Integer({ minimum: 0, maximum: 999_999, description: "The number of the first tote." }),
  count: Type.Integer({
    minimum: 1,
    maximum: 500,
    description: "How many totes. Their numbers have as many digits as the last one: `T-01` to `T-40`.",
  }),
});
export type CreateTotes = Static<typeof CreateTotes>;

export const UpdateTote = closed({ code });
export type UpdateTote = Static<typeof UpdateTote>;

export const PrintToteLabels = closed({
  tote_ids: several(idField("tote", "The totes, separated by commas: `tot_1001,tot_1002`.")),
  paper: Type.Optional(choice(paperSizes, { description: "The paper. Default: what the warehouse's country uses." })),
});

export const ToteView = closed({
  id: Type.String(),
  warehouse_id: Type.String({ description: "The warehouse, such as `whs_1001`." }),
  code: Type.String({ description: about_code }),
  order_id: nullable(Type.String({ description: "The order whose units it holds; null while it is free." })),
  order_number: nullable(Type.String()),
  wave_id: nullable(Type.String({ description: "The wave in which it was assigned; null once that has ended." })),
  assigned_at: nullable(timestamp("When the order was assigned.")),
  set_aside_at: nullable(timestamp("When it was set aside because units of its order were not found; null if not.")),
  revision: countField("Counts the changes to the tote, from 1."),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const CreatedTotesView = closed({
  totes: Type.Array(ToteView, { description: "In the order of their codes." }),
});
