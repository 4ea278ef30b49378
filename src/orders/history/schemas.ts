import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { closed, nullable } from "../../kit/schema.ts";

const moment = Type.String({ format: "date-time" });

export const ListHistory = closed(pageFields);
export type ListHistory = Static<typeof ListHistory>;

export const HistoryView = closed({
  id: Type.String(),
  event: Type.String(),
  from_status: nullable(Type.String()),
  to_status: Type.String(),
  reason: nullable(Type.String()),
  note: nullable(Type.String()),
  actor: closed({ type: Type.String(), id: Type.String(), name: Type.String() }),
  request_id: nullable(Type.String()),
  created_at: moment,
});
