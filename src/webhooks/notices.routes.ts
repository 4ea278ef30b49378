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
    of: noticeList,
    view: NoticeView,
    views: (notices) => notices.map(noticeView),
  }),
  write("POST", "/notices/:id/acknowledge", "webhooks.manage", {
    id: "acknowledgeNotice",
    summary: "Acknowledge a notice",
    view: NoticeView,
    act: async (tx, { params }) => noticeView(await acknowledge(tx, params.id)),
  }),
]);
