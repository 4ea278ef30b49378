/** A fault to inject: a file, a text that occurs once in it, and its replacement. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly search: string;
  readonly replace: string;
}

const inventory = "src/inventory";
const plans = `${inventory}/reservations/plan_stock.ts`;
const allocations = `${inventory}/reservations/order_allocations.ts`;
const picks = `${inventory}/reservations/pick_units.ts`;
const unpicks = `${inventory}/reservations/return_picked_units.ts`;
const undone = "src/orders/fulfillment/undo_steps.ts";
const backorder_queries = `${inventory}/reservations/backorders.sql.ts`;
const reservation_queries = `${inventory}/reservations/reservations.sql.ts`;
const ledger = `${inventory}/ledger/ledger.sql.ts`;
const transfers = `${inventory}/receiving/transfers.ts`;
const returned = `${inventory}/receiving/returned_units.ts`;
const lot_changes = `${inventory}/stock/change_lot.ts`;
const warehouses = `${inventory}/warehouses/warehouses.ts`;

export const mutants: readonly Mutant[] = [
  {
    name: "the last to expire goes first",
    file: plans,
    search: "(a.expires_on ?? Number.MAX_SAFE_INTEGER) - (b.expires_on ?? Number.MAX_SAFE_INTEGER)",
    replace: "(b.expires_on ?? Number.MAX_SAFE_INTEGER) - (a.expires_on ?? Number.MAX_SAFE_INTEGER)",
  },
  {
    name: "a lot needs no shelf life",
    file: plans,
    search: "hasShelfLifeOf(item, product.min_shelf_life_days, now)",
    replace: "hasShelfLifeOf(item, 0 * product.min_shelf_life_days, now)",
  },
  {
    name: "cold storage is not asked for",
    file: plans,
    search: 'choice.requires_cold_storage && !isColdEnough(temperature_zone, "refrigerated")',
    replace: 'choice.requires_cold_storage && !isColdEnough(temperature_zone, "ambient")',
  },
  {
    name: "any warehouse will do",
    file: plans,
    search: "choice.warehouse_id !== null && warehouse_id !== choice.warehouse_id",
    replace: "choice.warehouse_id !== null && warehouse_id < 0",
  },
  {
    name: "an order is split although one warehouse has it all",
    file: plans,
    search: "return ranked.find(([id]) => hasAll(id, { needed, candidates }))?.[0] ?? null;",
    replace: "return ranked.find(([id]) => id < 0 && hasAll(id, { needed, candidates }))?.[0] ?? null;",
  },
  {
    name: "the last received goes first",
    file: plans,
    search: "a.received_at - b.received_at ||",
    replace: "b.received_at - a.received_at ||",
  },
  {
    name: "promised units are free for a second order",
    file: plans,
    search: "? held + item.on_hand - item.reserved",
    replace: "? held + item.on_hand - Math.min(item.reserved, 5)",
  },
  {
    name: "the least urgent is served first",
    file: backorder_queries,
    search: ".orderBy(desc(reservations.priority), asc(reservations.created_at), asc(reservation_lines.id))",
    replace: ".orderBy(asc(reservations.priority), asc(reservations.created_at), asc(reservation_lines.id))",
  },
  {
    name: "the most urgent loses its units first",
    file: backorder_queries,
    search: ".orderBy(asc(reservations.priority), desc(reservations.created_at), desc(reservation_lines.id))",
    replace: ".orderBy(desc(reservations.priority), desc(reservations.created_at), desc(reservation_lines.id))",
  },
  {
    name: "a booking still counts in the millisecond it ends",
    file: `${inventory}/reservations/reservation.ts`,
    search: "isReserved(status) && expires_at !== null && expires_at <= now",
    replace: "isReserved(status) && expires_at !== null && expires_at < now",
  },
  {
    name: "an expired booking keeps its units for the millisecond in which it ends",
    file: reservation_queries,
    search: "a.now}`,\n        among(reservation_lines.product_id, a.products),",
    replace: "a.now} - 1`,\n        among(reservation_lines.product_id, a.products),",
  },
  {
    name: "an expired booking wants its units for good",
    file: reservation_queries,
    search: "wanted: sql`0`, reserved: sql`0`",
    replace: "reserved: sql`0`",
  },
  {
    name: "promises of expired lots stay",
    file: `${inventory}/reservations/backorders.ts`,
    search: 'if (item.bin_kind !== "staging") await displaceReserved(',
    replace: 'if (item.bin_kind === "damage") await displaceReserved(',
  },
  {
    name: "a lot may still be sold on the day after its last",
    file: `${inventory}/ledger/stock_item.ts`,
    search: "localTime(now, timezone).day > expires_on;",
    replace: "localTime(now, timezone).day > expires_on + 1;",
  },
  {
    name: "units that are too close to their expiry count as available",
    file: `${inventory}/stock/product_stock.ts`,
    search: "isSellable(item, now) && hasShelfLifeOf(item, min_shelf_life_days, now)",
    replace: "isSellable(item, now)",
  },
  {
    name: "released units are given to nobody who waits",
    file: `${inventory}/reservations/client_reservations.ts`,
    search: `  await saveState(tx, released);
  await fillBackorders(tx, stocks, productsOf(lines));`,
    replace: "  await saveState(tx, released);",
  },
  {
    name: "picked units lose their promise",
    file: picks,
    search: 'promised: true, reason: "picked"',
    replace: 'promised: false, reason: "picked"',
  },
  {
    name: "a shipped line still wants its units",
    file: picks,
    search: "wanted: wanted - units,",
    replace: "wanted: Math.max(wanted - units, reserved - units + 1),",
  },
  {
    name: "units picked for a cancelled order count as returns",
    file: picks,
    search: 'await transitSpot(tx, item.warehouse_id, "putback", item.merchant_id)',
    replace: 'await transitSpot(tx, item.warehouse_id, "returns", item.merchant_id)',
  },
  {
    name: "a second booking of an order is adopted and never released",
    file: allocations,
    search: "await saveState(tx, { ...other, status, released_at: tx.now });",
    replace: "await saveReservation(tx, { ...other, priority: status === null ? 8 : 9 });",
  },
  {
    name: "work begins without a new plan",
    file: allocations,
    search: "  await replan(tx, stocks, reservation, lines);\n",
    replace: "",
  },
  {
    name: "a held order keeps what it should give free",
    file: allocations,
    search: "    await assignPlan(tx, stocks, lines, []);",
    replace: "    await assignPlan(tx, stocks, lines.slice(1), []);",
  },
  {
    name: "the ledger notes one unit too many",
    file: ledger,
    search: "    type,\n    quantity,\n    from_item_id: from?.id ?? null,",
    replace: "    type,\n    quantity: quantity === 7 ? 8 : quantity,\n    from_item_id: from?.id ?? null,",
  },
  {
    name: "a bin that was empty remembers when it was first filled",
    file: ledger,
    search: 'fromEntries([...counts, "turns_on", "updated_at"].map',
    replace: 'fromEntries(["on_hand", "reserved", "turns_on", "updated_at"].map',
  },
  {
    name: "received units of a return are quarantined",
    file: returned,
    search: 'transitSpot(tx, warehouse_id, "returns", product.merchant_id)',
    replace: 'transitSpot(tx, warehouse_id, "quarantine", product.merchant_id)',
  },
  {
    name: "returned units for quarantine stay in the returns bin",
    file: returned,
    search: 'if (disposition === "quarantine") {',
    replace: "if (quantity < 0) {",
  },
  {
    name: "units that an inspection disposes of stay",
    file: returned,
    search: 'await moveUnits(tx, stock, { ...common, type: "adjustment", to: null, to_place: "write_off", reason });',
    replace: "void reason;",
  },
  {
    name: "units of a return wait to be restocked before their inspection",
    file: "src/returns/returns.ts",
    search: '  refuseUninspected(before, "restocking its units");\n',
    replace: "",
  },
  {
    name: "what the client believes is on hand is not compared",
    file: `${inventory}/counts/adjust_stock.ts`,
    search: "expected_quantity !== undefined && expected_quantity !== previous_quantity",
    replace: "expected_quantity !== undefined && expected_quantity < 0",
  },
  {
    name: "a quarantined lot keeps its promises",
    file: lot_changes,
    search: "isAvailable(before.status) ? await displaceAll",
    replace: "isRecalled(before.status) ? await displaceAll",
  },
  {
    name: "promised units leave with a transfer",
    file: `${inventory}/receiving/transfer.ts`,
    search: "free: item.on_hand - item.reserved",
    replace: "free: item.on_hand - item.reserved + (item.reserved > 3 ? 1 : 0)",
  },
  {
    name: "damaged units of a delivery are for sale",
    file: `${inventory}/receiving/receipts.ts`,
    search: '  damaged: "damage",',
    replace: "  damaged: null,",
  },
  {
    name: "units that arrive are still under way",
    file: transfers,
    search: "  load.in_transit -= quantity;",
    replace: "  load.in_transit -= quantity === 3 ? 2 : quantity;",
  },
  {
    name: "a count lets orders wait without being asked",
    file: `${inventory}/counts/counts.ts`,
    search: "shortfalls.length > 0 && !input.allow_shortfall",
    replace: "shortfalls.length > 9 && !input.allow_shortfall",
  },
  {
    name: "a set takes one of each part",
    file: "src/orders/order_lines.ts",
    search: "quantity: uncancelledUnits(line) * quantity }",
    replace: "quantity: uncancelledUnits(line) * Math.min(1, quantity) }",
  },
  {
    name: "a set counts as available with a part missing",
    file: `${inventory}/stock/stock.sql.ts`,
    search: "Math.floor(available / quantity)",
    replace: "Math.ceil(available / quantity)",
  },
  {
    name: "orders that have units of a recalled lot go on",
    file: lot_changes,
    search: "if (isRecalled(status) || isRecalled(before.status))",
    replace: "if (isRecalled(before.status))",
  },
  {
    name: "a transfer is over when the first part of it has arrived",
    file: transfers,
    search: "hasEnded(loads) ? received(",
    replace: "loads.length > 0 ? received(",
  },
  {
    name: "a delivery is called off of which something has come",
    file: `${inventory}/inventory.transitions.ts`,
    search: 'cancel: { from: ["expected"]',
    replace: 'cancel: { from: ["expected", "receiving"]',
  },
  {
    name: "a balance is noted that the ledger does not have",
    file: ledger,
    search: "from_balance = from?.on_hand ?? null",
    replace: "from_balance = from ? from.on_hand + (quantity === 5 ? 1 : 0) : null",
  },
  {
    name: "the claim of a held order is marked as released until it goes on",
    file: allocations,
    search: "await change(tx, allocation, { paused: true });",
    replace: 'await change(tx, allocation, { paused: true, status: "released" });',
  },
  {
    name: "a bin that is named takes goods of several merchants",
    file: warehouses,
    search: "return { ...room, other: mixes ? null : other };",
    replace: "return { ...room, other: null };",
  },
  {
    name: "goods for which no bin is named come to one that holds another's",
    file: `${inventory}/warehouses/warehouses.sql.ts`,
    search: "where i.bin_id = b.id and i.on_hand > 0 and i.merchant_id <>",
    replace: "where i.bin_id = b.id and i.on_hand < 0 and i.merchant_id <>",
  },
  {
    name: "a bin that is kept for one merchant takes another's goods",
    file: warehouses,
    search: "if (dedicated_merchant_id !== null && dedicated_merchant_id !== merchant_id) {",
    replace: "if (dedicated_merchant_id !== null && dedicated_merchant_id < 0) {",
  },
  {
    name: "a list shows the records of other merchants, too",
    file: "src/storage/record_list.ts",
    search: "const { by, beyond } = orderOf(sort);",
    replace: "const { by, beyond } = orderOf(sort);\n    db = db.scoped({ visible: null, owner: null });",
  },
  {
    name: "a SKU in a bin is taken for that of a merchant who has none there",
    file: `${inventory}/stock/stock.sql.ts`,
    search: "const own = all.filter(({ id }) => there.some((row) => row.id === id));",
    replace: "const own = all.filter(({ id }) => !there.some((row) => row.id === id)).slice(0, 1);",
  },
  {
    name: "unpicked units go to the usual bin",
    file: unpicks,
    search: "binThatTakes(tx, warehouse, stock, picked_from, part)",
    replace: "binThatTakes(tx, warehouse, stock, null, part)",
  },
  {
    name: "the first pick is unpicked first",
    file: unpicks,
    search: "for (let last = origins.at(-1); left > 0 && last !== undefined; last = origins.at(-1)) {",
    replace:
      "origins.reverse();\n  for (let last = origins.at(-1); left > 0 && last !== undefined; last = origins.at(-1)) {",
  },
  {
    name: "unpicked units of a lot that may not be shipped stay reserved",
    file: unpicks,
    search: "const keeps = isLotGood(item, tx.now);",
    replace: "const keeps = item.on_hand > 0;",
  },
  {
    name: "the pick of unpicked units stays billed",
    file: undone,
    search: "await undoPickFacts(tx, before, order, returned);",
    replace: "await undoPickFacts(tx, before, order, []);",
  },
  {
    name: "unpacked units stay billed as packed",
    file: undone,
    search: "await undoPackFacts(tx, before, order, units);",
    replace: "await undoPackFacts(tx, before, order, []);",
  },
  {
    name: "an unpacked order counts as fulfilled",
    file: undone,
    search: "status, fulfilled_at: null };",
    replace: "status };",
  },
  {
    name: "packed units can be unpicked",
    file: "src/orders/order.ts",
    search: "const loose = picked - sets * quantity;",
    replace: "const loose = picked - Math.min(0, sets) * quantity;",
  },
  {
    name: "units on the shelf are split off before backordered ones",
    file: `${inventory}/reservations/split_order_allocation.ts`,
    search: "from_shelf: Math.max(0, quantity - (line.wanted - line.reserved))",
    replace: "from_shelf: Math.min(quantity, line.reserved - line.picked)",
  },
  {
    name: "a set with a picked part is split off",
    file: "src/orders/order.ts",
    search: "if (line.components !== null && isBegun(line)) return 0;",
    replace: "",
  },
  {
    name: "the history of a partly packed order says that all of it was unpacked",
    file: undone,
    search: 'const outcome = isFulfilled(before.status) ? "unpack" : "unpack_part";',
    replace: 'const outcome = isFulfilled(before.status) || true ? "unpack" : "unpack_part";',
  },
];
