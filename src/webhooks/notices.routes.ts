import { list, routes, write } from "../http/routes.ts";
import { noticeView } from "./notice.ts";
import { countNotices, listNotices } from "./notices.sql.ts";
import { acknowledge } from "./notices.ts";
import { ListNotices, NoticeView } from "./subscriptions/subscriptions.schema.ts";

/** Notices for the operator. */
export const noticeRoutes = routes("Webhooks", [
  list("/notices", "webhooks.read", {
    id: "listNotices",
    summary: "List notices, newest first",
    query: ListNotices,
    view: NoticeView,
    listing: ({ query: { kind, acknowledged } }) => {
      const filter = { kind, acknowledged };
      return {
        rows: (db, window) => listNotices(db, filter, window),
        count: (db) => countNotices(db, filter),
        position: ({ created_at, id }) => [created_at, id],
      };
    },
    views: (notices) => notices.map(noticeView),
  }),
  write("POST", "/notices/:id/acknowledge", "webhooks.manage", {
    id: "acknowledgeNotice",
    summary: "Acknowledge a notice",
    view: NoticeView,
    act: async (tx, { params }) => noticeView(await acknowledge(tx, params.id)),
  }),
]);
