import { Elysia } from "elysia";
import { answerRead } from "../../http/answer.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { documented } from "../../http/route.ts";
import { OrderCountsView } from "./schemas.ts";
import { countAllOrders } from "./store.ts";

/** How many orders there are, for the columns of a board. */
export const countRoutes = new Elysia({ prefix: "/orders" })
  .use(conventions)
  .get("/counts", ({ call }) => answerRead(call, countAllOrders), {
    detail: documented({
      id: "countOrders",
      needs: "orders.read",
      chapter: "Orders",
      summary: "Count orders by state, and those that are backordered or late",
      description: "A held order counts as `on_hold` and nothing else. One call for a whole board.",
      answers: { 200: EnvelopedView(OrderCountsView) },
    }),
  });
