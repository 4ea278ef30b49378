// The acts of an order on the service and on the baseline, each on an order or a parcel that has not been touched
// before.
import { join } from "node:path";
import { startService } from "../service.ts";
import { type Copied, copyAtWork } from "./act_seed.ts";
import { env, placeOrders, sender, startStocked } from "./business.ts";
import { measureAgainstBaseline, rounds } from "./requests.ts";
import { actOn, buyLabel, scan } from "./shots.ts";

const model_count = 20;
// Enough products that few of the orders that are picked and not yet shipped share one.
const sku_count = 100_000;
/**
 * More orders than any act handles in a second. The baseline starts again from the first order when it runs out, which
 * hardly changes its rows.
 */
const copies_a_second = 5500;

const goal = 0.6;

/** Measures each act. Returns how many goals are missed. */
export async function measureActs(seconds: number): Promise<number> {
  const { service: first, key } = await startStocked(sku_count);
  const models = await placeModels(first.url, key);
  await first.stop();
  const a_round = seconds * copies_a_second;
  const count = Math.ceil((rounds * a_round) / model_count);
  const [pending = [], picked = [], packed = [], labelled = [], travelling = []] = copyAtWork(
    join(first.data, "test.db"),
    [models.pending, models.picked, models.packed, models.labelled, models.travelling],
    count,
  );
  const service = await startService({ data: first.data, env });
  const of = (some: readonly Copied[], round: number) => some.slice(round * a_round, (round + 1) * a_round);
  const ids = (some: readonly Copied[]) => (round: number) => of(some, round).map(({ id }) => id);
  const numbers = (some: readonly Copied[]) => (round: number) =>
    of(some, round).flatMap(({ tracking_number }) => tracking_number ?? []);
  // A picked order has no label yet, so both acts share the pending orders.
  const half = Math.floor(pending.length / 2);
  const [to_label, to_pick] = [ids(pending.slice(0, half)), ids(pending.slice(half))];
  const missed = await measureAgainstBaseline({ service, key, seconds }, [
    { name: "label", shot: (round) => buyLabel(to_label(round)), goal: 0.65 },
    { name: "pick (3 lines, pending)", shot: (round) => actOn("pick", to_pick(round)), goal },
    { name: "pack", shot: (round) => actOn("pack", ids(picked)(round)), goal },
    { name: "ship", shot: (round) => actOn("ship", ids(packed)(round)), goal },
    { name: "first scan of a parcel", shot: (round) => scan("in_transit", numbers(labelled)(round)), goal },
    { name: "delivered scan", shot: (round) => scan("delivered", numbers(travelling)(round)), goal },
  ]);
  await service.remove();
  console.log("\nstatements of each act, run individually");
  Bun.spawnSync([process.execPath, join(import.meta.dir, "../../test/orders/acts_cost.ts")], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  return missed;
}

type State = "pending" | "picked" | "packed" | "labelled" | "travelling";

/** Brings orders to the state that each act starts from, through the API. */
export async function placeModels(url: string, key: string): Promise<Record<State, readonly number[]>> {
  const send = sender(url, key);
  const pack = async (id: string) => {
    await send(`/orders/${id}/pick`, {});
    await send(`/orders/${id}/pack`, {});
  };
  const parcel = { weight: 2, weight_unit: "lbs" };
  const buy = async (id: string) => {
    await pack(id);
    const body = { order_id: id, carrier: "sim", service: "standard", package: parcel };
    return (await send("/shipping/labels", body)).data.tracking_number as string;
  };
  const steps: Record<State, (id: string) => Promise<unknown>> = {
    pending: async () => {},
    picked: (id) => send(`/orders/${id}/pick`, {}),
    packed: pack,
    labelled: buy,
    travelling: async (id) => send(`/tracking/${await buy(id)}/events`, { status: "in_transit" }),
  };
  const states = Object.keys(steps) as State[];
  const orders = [...(await placeOrders(url, key, (states.length + 1) * model_count)).orders];
  const found = {} as Record<State, readonly number[]>;
  for (const state of states) {
    // Two acts start from pending orders.
    const own = orders.splice(0, state === "pending" ? 2 * model_count : model_count);
    for (const id of own) await steps[state](id);
    found[state] = own.map((id) => Number(id.replace("ord_", "")));
  }
  return found;
}
