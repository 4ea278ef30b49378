import { expect, test } from "bun:test";
import { unreachable } from "../../src/kit/moves.ts";
import {
  deliveryMoves,
  deliveryStatuses,
  subscriptionMeanings,
  subscriptionMoves,
  subscriptionStatuses,
} from "../../src/webhooks/status.ts";

test("every status is reached", () => {
  expect(unreachable(subscriptionMoves, subscriptionStatuses, "active")).toEqual([]);
  expect(unreachable(deliveryMoves, deliveryStatuses, "pending")).toEqual([]);
});

test("a subscription that is not active records its deliveries as skipped", () => {
  const skipping = subscriptionStatuses.filter((status) => subscriptionMeanings[status].new_delivery === "skipped");
  expect(skipping).toEqual(subscriptionStatuses.filter((status) => !subscriptionMeanings[status].active));
});
