import { expect, test } from "bun:test";
import { unreachable } from "../../src/kit/moves.ts";
import { type OrderAction, orderMoves, orderStatuses } from "../../src/orders/status.ts";

// The whole table, drawn: a change of any cell is a change of this picture. `=` leaves the state as it is.
test("every action in every state", () => {
  const actions = Object.keys(orderMoves) as OrderAction[];
  const row = (cells: readonly string[]) =>
    cells
      .map((cell) => cell.padEnd(11))
      .join("")
      .trimEnd();
  const grid = orderStatuses.map((status) =>
    row([
      status,
      ...actions.map((action) => {
        const { from, to } = orderMoves[action];
        return (from as readonly string[]).includes(status) ? (to ?? "=") : ".";
      }),
    ]),
  );
  expect(`\n${[row(["", ...actions]), ...grid].join("\n")}\n`).toMatchInlineSnapshot(`
    "
               process    pick       pack       ship       deliver    hold       release    cancel     cancel_itemssplit
    pending    processing processing fulfilled  shipped    .          =          =          cancelled  =          =
    processing .          processing fulfilled  shipped    .          =          =          cancelled  =          =
    fulfilled  .          .          .          shipped    .          .          =          cancelled  =          .
    shipped    .          .          .          .          delivered  .          =          .          .          .
    delivered  .          .          .          .          .          .          =          .          .          .
    cancelled  .          .          .          .          .          .          =          .          .          .
    "
  `);
});

test("what is allowed while an order is held", () => {
  const allowed = Object.entries(orderMoves).filter(([, { held }]) => held);
  expect(allowed.map(([action]) => action)).toEqual(["deliver", "hold", "release", "cancel", "cancel_items"]);
});

test("every state can be reached", () => {
  expect(unreachable(orderMoves, orderStatuses, "pending")).toEqual([]);
});
