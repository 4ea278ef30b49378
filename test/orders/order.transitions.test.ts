import { expect, test } from "bun:test";
import { actionsIn, unreachableStates } from "../../src/core/transitions.ts";
import { orderStatuses, orderTransitions } from "../../src/orders/order.transitions.ts";

// The complete table as text: a change of any cell changes it. `=` keeps the status.
test("every action and outcome in every status", () => {
  const names = Object.keys(orderTransitions) as (keyof typeof orderTransitions)[];
  const row = (cells: readonly string[]) =>
    cells
      .map((cell) => cell.padEnd(17))
      .join("")
      .trimEnd();
  const grid = names.map((name) => {
    const { from, to } = orderTransitions[name];
    return row([
      name,
      ...orderStatuses.map((status) => ((from as readonly string[]).includes(status) ? (to ?? "=") : ".")),
    ]);
  });
  expect(`\n${[row(["", ...orderStatuses]), ...grid].join("\n")}\n`).toMatchInlineSnapshot(`
    "
                     pending          processing       fulfilled        shipped          delivered        cancelled
    process          processing       .                .                .                .                .
    pick             processing       processing       .                .                .                .
    pack             fulfilled        fulfilled        .                .                .                .
    pack_part        processing       processing       .                .                .                .
    unpick           .                =                .                .                .                .
    unpack           .                processing       processing       .                .                .
    unpack_part      .                processing       .                .                .                .
    ship             shipped          shipped          shipped          .                .                .
    ship_part        processing       processing       .                .                .                .
    ship_parcel      fulfilled        fulfilled        fulfilled        .                .                .
    ship_carton      =                =                =                .                .                .
    deliver          .                .                delivered        delivered        .                .
    deliver_part     =                =                =                =                .                =
    hold             =                =                .                .                .                .
    release          =                =                =                =                =                =
    cancel           cancelled        cancelled        cancelled        .                .                .
    cancel_items     =                =                =                .                .                .
    cancel_all       cancelled        cancelled        cancelled        .                .                .
    split            =                =                .                .                .                .
    rest_packed      fulfilled        fulfilled        .                .                .                .
    rest_shipped     shipped          shipped          shipped          .                .                .
    rest_delivered   delivered        delivered        delivered        delivered        .                .
    "
  `);
});

test("the actions allowed on hold", () => {
  const allowed = actionsIn(orderTransitions).filter((action) => orderTransitions[action].held);
  expect(allowed).toEqual(["unpick", "unpack", "deliver", "hold", "release", "cancel", "cancel_items"]);
});

test("every status is reachable", () => {
  expect(unreachableStates(orderTransitions, orderStatuses, "pending")).toEqual([]);
});
