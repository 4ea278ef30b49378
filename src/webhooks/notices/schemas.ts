import { type Static, Type } from "@sinclair/typebox";
import { mailStatuses } from "../../kit/mail.ts";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, nullable } from "../../kit/schema.ts";
import { noticeKinds } from "../status.ts";

const moment = Type.String({ format: "date-time" });

export const ListNotices = closed({
  ...pageFields,
  kind: Type.Optional(choice(noticeKinds)),
  acknowledged: Type.Optional(Type.Boolean({ description: "False: notices that nobody has acknowledged yet." })),
});
export type ListNotices = Static<typeof ListNotices>;

export const NoticeView = closed({
  id: Type.String(),
  kind: choice(noticeKinds),
  subscription_id: { ...nullable(Type.String()), description: "Null for a notice about backups or amounts." },
  message: Type.String(),
  mail_status: { ...choice(mailStatuses), description: "The status of its e-mail; `none` without a mail server." },
  acknowledged_at: nullable(moment),
  created_at: moment,
});
