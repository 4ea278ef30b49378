import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable } from "../../kit/schema.ts";
import { decisions } from "./status.ts";

const moment = Type.String({ format: "date-time" });

export const RestorationView = closed({
  id: Type.String(),
  archive: Type.String({ description: "The file of the backup." }),
  as_of: { ...moment, description: "What happened after this moment is not in the data, unless it happened again." },
  restored_at: moment,
  numbers_advanced_by: Type.Integer({
    description:
      "Ids, tracking numbers, SSCCs, `sequence` of deliveries and the places of `GET /events` go on so much further.",
  }),
  waiting: closed({
    deliveries: Type.Integer({ description: "Webhook deliveries that waited to be sent as of that moment." }),
    reports: Type.Integer({ description: "Reports to platforms that waited." }),
    purchases: Type.Integer({ description: "Labels that were being bought." }),
  }),
  status: choice(["waiting", "settling", "settled"], {
    description: "`waiting`: nothing of it goes out before `POST /restorations/decide`.",
  }),
  decision: nullable(choice(decisions)),
  decided_at: nullable(moment),
  decided_by: nullable(Type.String()),
});

export const DecideRestored = closed({
  action: choice(decisions, {
    description: "`send` lets what has waited go out, with its event ids; `drop` never does, and marks it.",
  }),
});
export type DecideRestored = Static<typeof DecideRestored>;
