// Plays n operations of random histories against a model, in its own process:
//   bun test/simulation/play.ts <seed> <operations> [longest history] [0: do not shrink a failure]
// Three merchants with the same SKUs, GTINs and order numbers share the warehouses. Each has its own model, and the
// acts of one must not change anything of another, except which bins are occupied.
// Prints the number and rate of acts. It stops at the first difference, with the shortest history that shows it.
import fc from "fast-check";
import { engine } from "../../src/core/config.ts";
import { getOrder } from "../../src/orders/orders.sql.ts";
import { compareOrder, acts as saleActs, same, type Tally } from "./acts.ts";
import { kitNames, type Level, merchants, partsOf, skus } from "./business.ts";
import { listActs } from "./list_acts.ts";
import type { Model } from "./model.ts";
import { returnActs } from "./return_acts.ts";
import type { Look, Service } from "./service.ts";
import { splitActs } from "./split_act.ts";
import { openStage, start } from "./stage.ts";
import { houseActs } from "./warehouse_acts.ts";
import { HouseModel } from "./warehouse_model.ts";

// Resetting a store on PostgreSQL costs as much as many operations.
const usual_longest = engine === "postgres" ? 400 : 300;
const [seed = 1, operations = 1000, longest = usual_longest, shorten = 1] = process.argv.slice(2).map(Number);
// A history has about a hundred operations.
const histories_at_once = Math.min(10, Math.ceil(operations / 100));
const verify_every = 100;
// A failure is shrunk for this long, then reported as it is.
const shrink_ms = 60_000;

const stage = openStage();
const acts = { ...saleActs, ...returnActs, ...listActs, ...houseActs, ...splitActs };
let done = 0;
const tally: Tally = new Map();

/** The plain models of the merchants, and the services that they are compared with. */
interface Models {
  readonly of: readonly Model[];
}
type Command = fc.AsyncCommand<Models, readonly Service[]>;
// The others are checked now and then, since each check reads every row.
const others_every = 10;

/** A merchant's act with this input, as fast-check plays and prints it. */
function command<Input>(name: string, one: (typeof acts)[keyof typeof acts], whose: number, input: Input): Command {
  const { ready = () => true, play } = one as never as {
    ready?: (model: Model, input: Input) => boolean;
    play: (model: Model, service: Service, input: Input) => Promise<string | null>;
  };
  return {
    check: ({ of }) => ready(of[whose] as Model, input),
    run: async ({ of }, services) => {
      const [model, service] = [of[whose], services[whose]];
      if (model === undefined || service === undefined) throw new Error("each act is a merchant's");
      // No two requests come at the same time, so that everything has a distinct age.
      model.now += 1;
      service.clock.advance(1);
      const code = await play(model, service, input);
      const outcome = code === null ? name : `${name}: ${code}`;
      tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
      done += 1;
      const others = of.filter((other) => other !== model);
      for (const other of others) {
        other.now = model.now;
        // The scheduled jobs work for all merchants.
        if (name === "time" && (input as { jobs: boolean }).jobs) other.settleAll();
      }
      model.settleRecalls();
      await service.followRecalls();
      if (model.orders.some(({ short }) => short)) await service.followClaims();
      model.settleShorts();
      // Time alone changes numbers too: that is checked at the next act.
      const seen = code === null ? await service.look() : await service.lookIfChanged();
      if (seen !== null) compareLevels(model, seen);
      if (done % others_every === 0) {
        for (const [at, other] of of.entries()) {
          if (other !== model) compareLevels(other, await (services[at] as Service).look());
        }
      }
      if (done % verify_every === 0) same("verify", await service.differences(), []);
    },
    toString: () => `${merchants[whose]}.${name}(${JSON.stringify(input)})`,
  };
}

/**
 * Checks every invariant against the rows, and the numbers of each SKU against the model's, except for time-based
 * changes that no act has processed yet.
 */
function compareLevels(model: Model, { levels, available, broken }: Look): void {
  same("invariants", broken, []);
  for (const sku of skus) {
    if (model.isDue(sku)) continue;
    const [found, expected] = [levels.get(sku), model.level(sku)];
    for (const [name, value] of Object.entries(expected))
      same(`${name} of ${sku}`, found?.[name as keyof Level], value);
  }
  for (const kit of kitNames) {
    if (partsOf(kit).some(([sku]) => model.isDue(sku))) continue;
    same(`available of ${kit}`, available.get(kit), model.available(kit));
  }
}

async function compareAll(model: Model, service: Service): Promise<void> {
  model.settleAll();
  await service.runJobs();
  compareLevels(model, await service.look());
  same("verify", await service.differences(), []);
  for (const [id, state] of await service.bookingStates()) {
    const claim = model.booking(id);
    same(`state of booking ${id}`, state, model.isOverdue(claim) ? "expired" : claim.status);
  }
  for (const [at, { id }] of service.orders.entries()) {
    compareOrder(model, at, await service.store.read((db) => getOrder(db, id)));
    same(`undone of order ${at}`, await service.undoneOf(id), model.order(at).undone);
    same(`billed for order ${at}`, await service.billedFor(id), model.order(at).billed);
  }
}

const commands = Object.entries(acts).flatMap(([name, one]) => {
  const merchant = fc.nat({ max: merchants.length - 1 });
  const whole = fc.tuple(merchant, one.input as fc.Arbitrary<unknown>);
  const arbitrary = whole.map(([whose, input]) => command(name, one, whose, input));
  return Array.from({ length: one.weight }, () => arbitrary);
});
const histories = fc.commands(commands, { maxCommands: longest, size: "max" });
let failed_at = Number.POSITIVE_INFINITY;
// fast-check's own timeout would leave a history running, which would continue in the store of the next one.
const property = fc.asyncProperty(histories, async (history) => {
  if (performance.now() > failed_at + shrink_ms) return;
  const services = await stage.enter();
  try {
    const of = services.map((_, whose) => new HouseModel(start, whose));
    for (const model of of) model.neighbours = of.filter((other) => other !== model);
    const setup = { model: { of }, real: services };
    await fc.asyncModelRun(() => setup, history);
    for (const model of setup.model.of) model.settleAll();
    for (const [at, service] of services.entries()) await compareAll(setup.model.of[at] as Model, service);
  } catch (error) {
    failed_at = Math.min(failed_at, performance.now());
    throw error;
  } finally {
    await stage.leave();
  }
});

const began = performance.now();
try {
  for (let round = 0; done < operations; round += 1) {
    await fc.assert(property, { seed: seed + round, numRuns: histories_at_once, endOnFailure: shorten === 0 });
  }
} finally {
  await stage.strike();
}
const seconds = (performance.now() - began) / 1000;
const rate = Math.round(done / seconds);
console.log(`seed ${seed} on ${engine}: ${done} operations in ${seconds.toFixed(1)} s, ${rate} a second`);
for (const [outcome, count] of [...tally].sort()) console.log(`${String(count).padStart(8)} ${outcome}`);
