// How long scans on the floor take while orders are imported and waves are planned, and how long others wait meanwhile.
import { join } from "node:path";
import { startService } from "../service.ts";
import { env, placeOrders, sender, skus, startStocked } from "./business.ts";
import { copyOrders } from "./order_seed.ts";

const [open_orders, wave_orders, waves] = [50_000, 500, 10];
const imported_orders = 20_000;
const scans_at_least = 200;
const [scan_p99_ms, plan_ms, pause_ms] = [50, 1000, 50];

/** Measures waves planned from fifty thousand open orders, and scans meanwhile. Returns how many goals are missed. */
export async function measureFloor(): Promise<number> {
  const { service: first, key } = await startStocked();
  const ids = await placeOrders(first.url, key, 2);
  const number = (id = "") => Number(id.replace("ord_", ""));
  await first.stop();
  copyOrders(
    join(first.data, "test.db"),
    ids.orders.map((id) => ({ id: number(id), share: 0.5 })),
    open_orders,
  );
  const service = await startService({ data: first.data, env });
  const send = sender(service.url, key);
  const read = async () => void (await send(`/orders/${ids.orders[0]}`, null, "GET"));
  const plan = (query: string) => send(`/waves${query}`, { mode: "batch", limits: { orders: wave_orders } });

  const alone = await times(read, scans_at_least);
  const dry = { reads: [] as number[], plans: [] as number[] };
  const made = { reads: [] as number[], plans: [] as number[] };
  const planned: string[] = [];
  await during(read, dry.reads, async () => {
    dry.plans = await times(() => plan("?dry_run=true"), waves);
  });
  await during(read, made.reads, async () => {
    made.plans = await times(async () => planned.push((await plan("")).data.id), waves);
  });

  const scan = await scansOf(send, planned);
  const quiet = await times(scan, scans_at_least);
  const busy: number[] = [];
  await during(scan, busy, async () => {
    let is_over = false;
    const importing = importOrders(service.url, key, "I").finally(() => {
      is_over = true;
    });
    while (!is_over) await plan("?dry_run=true");
    await importing;
  });
  const looked_up: number[] = [];
  await during(
    () => send(`/floor/lookup?code=${skus[7]}`, null, "GET"),
    looked_up,
    async () => {
      await importOrders(service.url, key, "J");
    },
  );

  console.log(`\nthe floor with ${open_orders} open orders, milliseconds`);
  console.log(`${"".padEnd(52)}${["p50", "p99", "longest", "count"].map((it) => it.padStart(9)).join("")}`);
  let missed = 0;
  const show = (name: string, measured: number[], goals: { p99?: number; longest?: number } = {}) => {
    const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => quantile(measured, share)) as [number, number, number];
    const late =
      (goals.p99 !== undefined && p99 > goals.p99) || (goals.longest !== undefined && longest > goals.longest);
    if (late) missed += 1;
    const cells = [p50, p99, longest].map((it) => it.toFixed(1).padStart(9)).join("");
    console.log(`${name.padEnd(52)}${cells}${String(measured.length).padStart(9)}${late ? "  missed" : ""}`);
  };
  show("order by id, alone", alone);
  show(`dry run of a wave of ${wave_orders}`, dry.plans, { longest: plan_ms });
  show("order by id meanwhile", dry.reads, { longest: pause_ms });
  show(`wave of ${wave_orders} planned`, made.plans, { longest: plan_ms });
  show("order by id meanwhile", made.reads, { longest: pause_ms });
  show("scan of a pick, alone", quiet);
  show(`scan of a pick, importing ${imported_orders} orders and planning`, busy, { p99: scan_p99_ms });
  show("look-up of a code during an import", looked_up, { p99: scan_p99_ms });
  await service.remove();
  return missed;
}

type Act = () => Promise<unknown>;

async function timed(act: Act): Promise<number> {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

/** How long an act takes (ms), several times in a row. */
async function times(act: Act, count: number): Promise<number[]> {
  const measured: number[] = [];
  for (let n = 0; n < count; n += 1) measured.push(await timed(act));
  return measured;
}

/** Repeats an act while others work, and adds how long it takes each time (ms). */
async function during(act: Act, measured: number[], others: Act): Promise<void> {
  let is_over = false;
  const working = others().finally(() => {
    is_over = true;
  });
  while (!is_over) {
    measured.push(await timed(act));
    await Bun.sleep(2);
  }
  await working;
}

const quantile = (measured: readonly number[], share: number): number => {
  const sorted = [...measured].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
};

/** Releases the waves. Returns a scan that picks the next unit of them. */
async function scansOf(send: ReturnType<typeof sender>, wave_ids: readonly string[]): Promise<Act> {
  const units: { wave: string; bin: string; sku: string }[] = [];
  for (const wave of wave_ids) {
    await send(`/waves/${wave}/release`, {});
    const { stops } = (await send(`/waves/${wave}/walk`, null, "GET")).data;
    for (const { bin, sku, quantity } of stops as { bin: string; sku: string; quantity: number }[]) {
      for (let n = 0; n < quantity; n += 1) units.push({ wave, bin, sku });
    }
  }
  let at = 0;
  return async () => {
    const unit = units[at];
    if (unit === undefined) throw new Error(`all ${units.length} units are picked`);
    at += 1;
    await send(`/waves/${unit.wave}/picks`, { bin: unit.bin, sku: unit.sku, quantity: 1, device: "bench" });
  };
}

async function importOrders(url: string, key: string, prefix: string): Promise<void> {
  const head = "order_number,customer_email,address_line1,city,state,postal_code,country,sku,quantity,unit_price";
  const to = "bench@packhouse.example,100 Commercial St,Portland,ME,04101,US";
  const rows = Array.from({ length: imported_orders }, (_, n) => {
    return `${prefix}-${n},${to},${skus[n % skus.length]},1,5.00`;
  });
  const headers = { authorization: `Bearer ${key}`, "content-type": "text/csv" };
  const response = await fetch(`${url}/v1/orders/import`, {
    method: "POST",
    headers,
    body: [head, ...rows].join("\n"),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the import returned ${response.status}: ${text.slice(0, 500)}`);
}
