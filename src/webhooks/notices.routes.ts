import { list, routes, write } from "../http/routes.ts";
import { noticeView } from "./notice.ts";
import { noticeList } from "./notices.sql.ts";
import { acknowledge } from "./notices.ts";
import { NoticeView } from "./subscriptions/subscriptions.schema.ts";

/** Notices for the operator. */
export const noticeRoutes = routes("Webhooks", [
  list("/notices", "webhooks.read", {
    id: "listNotices",
    summary: "List notices, newest first",
    description:
      "Problems that somebody should look at: a failing or disabled webhook, skipped deliveries, a failed or late" +
      " backup. Each is also emailed to the operator if a mail server is configured. `acknowledged=false` leaves only" +
      " those that nobody has dealt with.",
    of: noticeList,
    view: NoticeView,
    views: (notices) => notices.map(noticeView),
  }),
  write("POST", "/notices/:id/acknowledge", "webhooks.manage", {
    id: "acknowledgeNotice",
    summary: "Acknowledge a notice",
    description:
      "Marks a notice as dealt with, so that the dashboard no longer shows it as open. The problem itself is not" +
      " changed. Repeating it changes nothing.",
    view: NoticeView,
    act: async (tx, { params }) => noticeView(await acknowledge(tx, params.id)),
  }),
]);
