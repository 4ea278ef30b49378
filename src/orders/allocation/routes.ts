import { Elysia } from "elysia";
import { conventions } from "../../http/conventions.ts";
import { answerAct, RehearsableView } from "../../http/rehearsals.ts";
import { documented } from "../../http/route.ts";
import { allotmentView } from "../../inventory/reservations/reasons.ts";
import { wireId } from "../../kit/ids.ts";
import { bodyOf, queryOf } from "../../kit/schema.ts";
import { requireVersion } from "../actions/routes.ts";
import { backorderedUnits } from "../order.ts";
import { NoFields } from "../schemas.ts";
import { allocateOrder } from "./commands.ts";
import { AllocateOrder, AllocationView } from "./schemas.ts";

/** Chooses stock for an order anew, or only answers what would be chosen, with the reasons. */
export const allocationRoutes = new Elysia({ prefix: "/orders/:id" }).use(conventions).post(
  "/allocate",
  ({ call, params, query: { dry_run = false } }) =>
    answerAct(call, { dry_run }, async (tx) => {
      await requireVersion(tx, call, params.id);
      const { order, allotments } = await allocateOrder(tx, params.id, call.actor);
      const backordered_units = backorderedUnits(order);
      return {
        order_id: wireId("order", order.id),
        dry_run,
        allocation: { complete: backordered_units === 0, backordered_units },
        items: allotments.map(allotmentView),
      };
    }),
  {
    query: queryOf(AllocateOrder),
    body: bodyOf(NoFields),
    detail: documented({
      id: "allocateOrder",
      needs: "orders.write",
      chapter: "Orders",
      summary: "Allocate stock to an order, or preview the allocation",
      matches: true,
      refuses: ["invalid_state_transition"],
      answers: { 200: RehearsableView(AllocationView) },
    }),
  },
);
