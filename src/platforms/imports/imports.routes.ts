import { Elysia } from "elysia";
import { bodyOf, closed, queryOf } from "../../core/schema.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/pagination.ts";
import { answerWrite } from "../../http/response.ts";
import { documented } from "../../http/route.ts";
import { getConnection } from "../connections.sql.ts";
import { ImportView, ListImports } from "../platforms.schema.ts";
import { importView } from "./import.ts";
import { retryImport } from "./import_queue.ts";
import { countImports, listImports } from "./imports.sql.ts";

/** Routes of the order imports of a connected store. */
export const importRoutes = new Elysia({ prefix: "/platforms" })
  .use(conventions)
  .get("/:id/imports", ({ call, params, query }) => list(call, params.id, query), {
    query: queryOf(ListImports),
    detail: documented({
      id: "listPlatformImports",
      needs: "platforms.manage",
      chapter: "Platforms",
      summary: "List the order imports of a store",
      answers: { 200: ListView(ImportView) },
    }),
  })
  .post(
    "/:id/imports/:import_id/retry",
    ({ call, params }) =>
      answerWrite(call, 200, async (tx) => importView(await retryImport(tx, params.id, params.import_id))),
    {
      body: bodyOf(closed({})),
      detail: documented({
        id: "retryPlatformImport",
        needs: "platforms.manage",
        chapter: "Platforms",
        summary: "Retry an order import",
        refuses: ["invalid_state_transition"],
        answers: { 200: EnvelopedView(ImportView) },
      }),
    },
  );

function list(call: Call, id: string, query: ListImports): Promise<Response> {
  const { status, external_id } = query;
  const filter = { status, external_id };
  return answerList(
    call,
    query,
    {
      rows: async (db, window) => listImports(db, (await getConnection(db, id)).id, filter, window),
      count: async (db) => countImports(db, (await getConnection(db, id)).id, filter),
      position: ({ created_at, id: last }) => [created_at, last],
    },
    (imports) => imports.map(importView),
  );
}
