// Totes, waves and tasks for the fuzzer.
import type { Answered } from "../../../build/service.ts";

type Fields = Readonly<Record<string, unknown>>;
type Ask = (method: string, path: string, body?: Fields) => Promise<Answered["body"]>;

/** A product with stock in bin A-01 of a warehouse, and its buyer. */
interface Shelf {
  readonly sku: string;
  readonly location: string;
  readonly buyer: Fields;
}

/** Totes, waves at every stage, and tasks. */
export async function wavesToPick(ask: Ask, { sku, buyer, location: warehouse_id }: Shelf) {
  const device = `scanner ${sku}`;
  let number = 0;
  const tote = async () => {
    number += 1;
    return (await ask("POST", "/totes", { warehouse_id, code: `${sku} ${number}` })) as { id: string; code: string };
  };
  const plan = async () => {
    number += 1;
    const line_items = [{ sku, quantity: 3, unit_price: "1.00" }];
    const { id } = await ask("POST", "/orders", { order_number: `${sku} W${number}`, ...buyer, line_items });
    return { warehouse_id, mode: "order", filters: { order_ids: [id] } };
  };
  const wave = async (...steps: readonly (readonly [string, Fields])[]) => {
    const { id, orders } = await ask("POST", "/waves", await plan());
    for (const [step, given] of steps) await ask("POST", `/waves/${id}/${step}`, given);
    return { id: id as string, order_id: orders[0].order_id as string };
  };
  const released = ["release", {}] as const;
  const pick = { bin: "A-01", sku, quantity: 1 };
  const task = async () => ({ task: `pick_${(await wave(released)).id}` });
  return {
    createTote: { body: { warehouse_id, code: `${sku} new` } },
    createTotes: { body: { warehouse_id, prefix: `${sku} many `, first: 1, count: 3 } },
    getToteLabels: { query: { tote_ids: (await tote()).id } },
    updateTote: { path: { id: (await tote()).id }, body: { code: `${sku} other` } },
    deleteTote: { path: { id: (await tote()).id } },
    releaseTote: { path: { id: (await tote()).id } },
    planWave: { body: await plan() },
    releaseWave: { path: await wave() },
    removeWaveOrder: { path: await wave() },
    cancelWave: { path: await wave() },
    closeWave: { path: await wave(released, ["picks", { ...pick, quantity: 3 }]) },
    assignTote: { path: await wave(released), body: { tote: (await tote()).code } },
    pickInWave: { path: await wave(released), body: pick },
    unpickInWave: { path: await wave(released, ["picks", pick]), body: { sku, quantity: 1, reason: "mistake" } },
    takeNextTask: { body: { warehouse_id, device } },
    claimTask: { path: await task(), body: { device } },
    takeOverTask: { path: await task(), body: { device } },
    releaseTask: { path: await task(), body: { device } },
  };
}

/** Floor devices that may be changed and revoked. */
export async function devicesToChange(ask: Ask, { location: warehouse_id }: Pick<Shelf, "location">) {
  const device = async (name: string) => {
    const { id } = await ask("POST", "/floor_devices", { name, warehouse_id });
    return { path: { id } };
  };
  const changed = await device("Changed");
  return {
    createFloorDevice: { body: { name: "Made", warehouse_id } },
    updateFloorDevice: changed,
    linkFloorDevice: changed,
    revokeFloorDevice: await device("Revoked"),
  };
}
