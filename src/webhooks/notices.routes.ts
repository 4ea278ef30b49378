import { Elysia } from "elysia";
import { queryOf } from "../core/schema.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { EnvelopedView, ListView } from "../http/envelope.ts";
import { answerList } from "../http/pagination.ts";
import { answerWrite } from "../http/response.ts";
import { documented } from "../http/route.ts";
import { noticeView } from "./notice.ts";
import { countNotices, listNotices } from "./notices.sql.ts";
import { acknowledge } from "./notices.ts";
import { ListNotices, NoticeView } from "./subscriptions/subscriptions.schema.ts";

/** Notices for the operator. */
export const noticeRoutes = new Elysia({ prefix: "/notices" })
  .use(conventions)
  .get("", ({ call, query }) => list(call, query), {
    query: queryOf(ListNotices),
    detail: documented({
      id: "listNotices",
      needs: "webhooks.read",
      chapter: "Webhooks",
      summary: "List notices, newest first",
      answers: { 200: ListView(NoticeView) },
    }),
  })
  .post(
    "/:id/acknowledge",
    ({ call, params }) => answerWrite(call, 200, async (tx) => noticeView(await acknowledge(tx, params.id))),
    {
      detail: documented({
        id: "acknowledgeNotice",
        needs: "webhooks.manage",
        chapter: "Webhooks",
        summary: "Acknowledge a notice",
        answers: { 200: EnvelopedView(NoticeView) },
      }),
    },
  );

function list(call: Call, query: ListNotices): Promise<Response> {
  const { kind, acknowledged } = query;
  const filter = { kind, acknowledged };
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listNotices(db, filter, window),
      count: (db) => countNotices(db, filter),
      position: ({ created_at, id }) => [created_at, id],
    },
    (notices) => notices.map(noticeView),
  );
}
