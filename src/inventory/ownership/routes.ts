import { Elysia } from "elysia";
import { answerWrite } from "../../http/answer.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { documented } from "../../http/route.ts";
import { bodyOf } from "../../kit/schema.ts";
import { transferOwnership } from "./commands.ts";
import { OwnershipTransferView, TransferOwnership } from "./schemas.ts";

/** Goods that change hands within the house. */
export const ownershipRoutes = new Elysia({ prefix: "/inventory/ownership_transfers" })
  .use(conventions)
  .post("", ({ call, body }) => answerWrite(call, 201, (tx) => transferOwnership(tx, body, call.actor)), {
    body: bodyOf(TransferOwnership),
    detail: documented({
      id: "transferOwnership",
      needs: "stock.write",
      chapter: "Inventory",
      summary: "Transfer stock from one merchant to another",
      description:
        "Units leave the stock of one merchant and come to that of another, with their lot and their age, by two" +
        " movements with one reference. Reserved units stay.",
      refuses: [
        "ambiguous_stock",
        "bin_full",
        "bin_of_other_merchant",
        "insufficient_inventory",
        "merchant_closed",
        "resource_missing",
      ],
      answers: { 201: EnvelopedView(OwnershipTransferView) },
    }),
  });
