// What may happen to returns: units arrive, in parts, are inspected, and go back on the shelf.
import fc from "fast-check";
import { getOrder } from "../../src/orders/orders.sql.ts";
import { createReturn, inspectReturn, receiveReturn, shelveUnits } from "../../src/returns/returns.ts";
import { act, both, compareOrder, nth, storage } from "./acts.ts";
import { type BinCode, goods, lotName } from "./business.ts";
import type { Model } from "./model.ts";
import type { Disposition, Finding, ModelReturn, ReturnModel } from "./return_model.ts";
import { clerk, type Service } from "./service.ts";
import { sum } from "./stock_model.ts";

const withReturns = (model: Model) => model as ReturnModel;

const comeBack = act({
  weight: 12,
  input: fc.record({ nth, line: nth, quantity: fc.integer({ min: 1, max: 4 }), part: fc.boolean() }),
  ready: (model, { nth, line }) => returnable(model, nth, line) !== null,
  play: async (model, service, { nth, line, quantity, part }) => {
    const found = returnable(model, nth, line);
    if (found === null) return null;
    const { at, sku } = found;
    const arrived = part ? Math.ceil(quantity / 2) : quantity;
    const { code, value } = await both(
      model,
      service,
      () => withReturns(model).comeBack(at, sku, quantity, arrived),
      async (tx) => {
        const order_id = service.orders[at]?.id ?? 0;
        const { id } = await createReturn(
          tx,
          { order_id, reason: "customer_remorse", items: [{ sku, quantity }] },
          clerk,
        );
        return receiveReturn(tx, String(id), { items: [{ sku, quantity: arrived }] }, clerk);
      },
    );
    if (value !== null) service.returns.push(value.id);
    return code;
  },
});

/**
 * A SKU of which an order has shipped units; every other time of several lots, if there is one. Units that shipped as
 * part of a set are returned as a set, which is not simulated.
 */
function returnable(model: Model, nth: number, line: number) {
  const all = [...model.orders.keys()].flatMap((at) => {
    const { sold, lines } = model.order(at);
    const skus = new Set(sold.flatMap(({ sku }) => (lines.some((own) => own.sku === sku) ? [sku] : [])));
    return [...skus].map((sku) => ({ at, sku }));
  });
  const mixed = all.filter(({ at, sku }) => withReturns(model).lotsSold(at, sku).length > 1);
  const some = mixed.length > 0 && line % 2 === 0 ? mixed : all;
  return some[nth % some.length] ?? null;
}

/** The return that a number selects: mostly one of the latest of which units wait, for the inspection or after it. */
function returnAt(model: Model, nth: number, status: ModelReturn["status"]): number {
  const { returns } = withReturns(model);
  const all = [...returns.keys()];
  const waiting = all.filter(
    (at) => returns[at]?.status === status && returns[at]?.waits.some((one) => one.quantity > 0),
  );
  const some = waiting.length > 0 && nth % 5 > 0 ? waiting : all;
  return some[some.length - 1 - (nth % Math.min(4, some.length))] ?? 0;
}

const anyReturn = (model: Model) => withReturns(model).returns.length > 0;
const idOf = (service: Service, at: number) => String(service.returns[at]);

const arriveLate = act({
  weight: 5,
  input: fc.record({ nth, quantity: fc.integer({ min: 1, max: 2 }) }),
  ready: anyReturn,
  play: async (model, service, { nth, quantity }) => {
    const at = returnAt(model, nth, "received");
    const { sku } = withReturns(model).return(at);
    const { code } = await both(
      model,
      service,
      () => withReturns(model).arriveFrom(at, quantity),
      (tx) => receiveReturn(tx, idOf(service, at), { items: [{ sku, quantity }] }, clerk),
    );
    return code;
  },
});

const dispositions = ["restock", "restock", "quarantine", "dispose", "return_to_sender"] as const;
const finding = fc.record({
  disposition: fc.constantFrom<Disposition>(...dispositions),
  lot: fc.option(nth, { nil: null, freq: 4 }),
  shelf: fc.boolean(),
});

const inspect = act({
  weight: 12,
  input: fc.record({ nth, split: fc.nat({ max: 3 }), findings: fc.array(finding, { minLength: 2, maxLength: 2 }) }),
  ready: anyReturn,
  play: async (model, service, { nth, split, findings }) => {
    const at = returnAt(model, nth, "received");
    const { sku, order, lines } = withReturns(model).return(at);
    const lots = withReturns(model).lotsSold(order, sku);
    const all = sum(lines.map(({ received }) => received));
    const first = Math.min(split, all);
    const found = findings.flatMap(({ disposition, lot: named, shelf }, index): Finding[] => {
      const quantity = index === 0 ? first : all - first;
      const bin: BinCode = goods[sku].cold ? "C-1" : "S-1";
      const lot = named === null ? null : (lots[named % lots.length] ?? null);
      return quantity === 0 ? [] : [{ quantity, disposition, lot, bin: shelf ? bin : null }];
    });
    const { code } = await both(
      model,
      service,
      () => withReturns(model).inspect(at, found),
      (tx) => {
        const items = found.map(({ lot, ...one }) => {
          return { sku, ...one, condition: "unopened" as const, lot_number: lot === null ? null : lotName(lot) };
        });
        return inspectReturn(tx, idOf(service, at), { items }, clerk);
      },
    );
    const id = service.orders[order]?.id ?? 0;
    if (code === null) compareOrder(model, order, await service.store.read((db) => getOrder(db, id)));
    return code;
  },
});

const shelve = act({
  weight: 6,
  input: fc.record({ nth, quantity: fc.integer({ min: 1, max: 2 }), bin: storage }),
  ready: anyReturn,
  play: async (model, service, { nth, quantity, bin }) => {
    const at = returnAt(model, nth, "inspected");
    const { sku } = withReturns(model).return(at);
    const { code } = await both(
      model,
      service,
      () => withReturns(model).shelve(at, quantity, bin),
      (tx) => shelveUnits(tx, { return_id: idOf(service, at), sku, quantity, bin }, clerk),
    );
    return code;
  },
});

/** All acts on returns, by name. */
export const returnActs = { comeBack, arriveLate, inspect, shelve };
