import { expect, test } from "bun:test";
import { unreachableStates } from "../../src/core/transitions.ts";
import {
  deliveryStatuses,
  deliveryTransitions,
  subscriptionMeanings,
  subscriptionStatuses,
  subscriptionTransitions,
} from "../../src/webhooks/webhooks.transitions.ts";

test("every status is reachable", () => {
  expect(unreachableStates(subscriptionTransitions, subscriptionStatuses, "active")).toEqual([]);
  expect(unreachableStates(deliveryTransitions, deliveryStatuses, "pending")).toEqual([]);
});

test("a subscription that is not active records its deliveries as skipped", () => {
  const skipping = subscriptionStatuses.filter((status) => subscriptionMeanings[status].new_delivery === "skipped");
  expect(skipping).toEqual(subscriptionStatuses.filter((status) => !subscriptionMeanings[status].active));
});
