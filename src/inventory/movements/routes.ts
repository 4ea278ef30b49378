import { Elysia } from "elysia";
import { conventions } from "../../http/conventions.ts";
import { ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/paging.ts";
import { documented } from "../../http/route.ts";
import { queryOf } from "../../kit/schema.ts";
import { movementView } from "./movement.ts";
import { ListMovements, MovementView } from "./schemas.ts";
import { countMovements, listMovements } from "./store.ts";

/** The ledger: every change of quantity. */
export const movementRoutes = new Elysia({ prefix: "/inventory/movements" }).use(conventions).get(
  "",
  ({ call, query }) =>
    answerList(
      call,
      query,
      {
        rows: (db, window) => listMovements(db, query, window),
        count: (db) => countMovements(db, query),
        position: ({ created_at, id }) => [created_at, id],
      },
      (movements) => movements.map(movementView),
    ),
  {
    query: queryOf(ListMovements),
    detail: documented({
      id: "listMovements",
      summary: "List inventory movements",
      answers: { 200: ListView(MovementView) },
    }),
  },
);
