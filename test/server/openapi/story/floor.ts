import type { Buyer } from "./orders.ts";
import type { Teller } from "./record_example.ts";

const device = "scanner-3";

/** Totes, waves and their picks, and the tasks of people. */
export async function floor({ tell, act, warehouse_id }: Teller, buyer: Buyer): Promise<void> {
  const tote = { path: { id: (await tell("createTote", { body: { warehouse_id, code: "T-01" } })).data.id } };
  const more = await tell("createTotes", { body: { warehouse_id, prefix: "C-", first: 1, count: 3 } });
  await tell("listTotes", { query: { taken: "false" } });
  await tell("getToteLabels", { query: { tote_ids: tote.path.id } });
  await tell("updateTote", { ...tote, body: { code: "T-1" } });
  await tell("deleteTote", { path: { id: more.data.totes[2].id } });
  const order_ids: string[] = [];
  for (const [at, quantity] of [2, 1, 1].entries()) {
    const line_items = [{ sku: "TEA-100", quantity, unit_price: "6.00" }];
    const { data } = await act("createOrder", { body: { order_number: `SO-11${at}`, ...buyer, line_items } });
    order_ids.push(data.id);
  }
  const [first = "", second = "", third = ""] = order_ids;
  const cluster = { warehouse_id, mode: "cluster", filters: { order_ids: [first, second] } };
  const wave = { path: { id: (await tell("planWave", { body: cluster })).data.id } };
  await tell("removeWaveOrder", { path: { ...wave.path, order_id: second } });
  await tell("releaseWave", { ...wave, body: {} });
  await tell("listWork", { query: { kinds: "pick" } });
  const { data } = await tell("takeNextTask", { body: { warehouse_id, device, kinds: ["pick"] } });
  const task = { path: { task: data.task.id } };
  await tell("claimTask", { ...task, body: { device } });
  await tell("takeOverTask", { ...task, body: { device } });
  await tell("assignTote", { ...wave, body: { tote: "T-1" } });
  await tell("getTote", tote);
  const [stop] = (await tell("getWaveWalk", wave)).data.stops;
  const pick = { bin: stop.bin, sku: stop.sku, quantity: 1, tote: "T-1" };
  await tell("pickInWave", { ...wave, body: pick });
  await tell("unpickInWave", { ...wave, body: { sku: stop.sku, quantity: 1, tote: "T-1", reason: "wrong_item" } });
  await tell("releaseTask", { ...task, body: { device } });
  await act("pickInWave", { ...wave, body: { ...pick, quantity: 2 } });
  await tell("getWave", wave);
  await tell("listWaves", { query: { status: "picked" } });
  await tell("closeWave", { ...wave, body: {} });
  await tell("releaseTote", { ...tote, body: {} });
  const single = { warehouse_id, mode: "order", filters: { order_ids: [third] } };
  const other = { path: { id: (await act("planWave", { body: single })).data.id } };
  await tell("cancelWave", { ...other, body: {} });
  for (const id of order_ids) await act("cancelOrder", { path: { id } });
}
