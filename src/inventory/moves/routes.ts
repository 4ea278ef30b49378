import { Elysia } from "elysia";
import { answerWrite } from "../../http/answer.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { documented } from "../../http/route.ts";
import { bodyOf } from "../../kit/schema.ts";
import { moveStock } from "./commands.ts";
import { MovedView, MoveStock } from "./schemas.ts";

/** Moves of units between the bins of a warehouse. */
export const moveRoutes = new Elysia({ prefix: "/inventory/moves" })
  .use(conventions)
  .post("", ({ call, body }) => answerWrite(call, 201, (tx) => moveStock(tx, body, call.actor)), {
    body: bodyOf(MoveStock),
    detail: documented({
      id: "moveInventory",
      needs: "stock.floor",
      chapter: "Inventory",
      summary: "Move stock to another bin",
      description:
        "To better places, off sale or back on sale, within a warehouse; for another warehouse create a" +
        " transfer. Reserved" +
        " units stay reserved, from other stock or in their new bin.",
      refuses: [
        "ambiguous_stock",
        "bin_full",
        "bin_of_other_merchant",
        "insufficient_inventory",
        "resource_missing",
        "would_break_reservations",
      ],
      answers: { 201: EnvelopedView(MovedView) },
    }),
  });
