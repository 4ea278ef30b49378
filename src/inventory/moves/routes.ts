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
      summary: "Move stock to another bin, off sale or back",
      description:
        "Within a warehouse; a transfer goes to another one. Promised units keep their promise, from other stock or" +
        " where they lie then.",
      refuses: [
        "ambiguous_stock",
        "bin_full",
        "insufficient_inventory",
        "resource_missing",
        "would_break_reservations",
      ],
      answers: { 201: EnvelopedView(MovedView) },
    }),
  });
