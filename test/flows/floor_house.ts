// A warehouse of two merchants for a day on the floor: products, lots, bins, orders, and waves of all modes.
import type { Random } from "../../src/core/random.ts";
import { buyerOf } from "../build/buyer.ts";
import { eanOf } from "../dashboard/floor/worker.ts";
import type { FloorModel, Goods } from "./floor_model.ts";
import type { Answer, Client } from "./service.ts";

/** A product, its barcode, and where its units are. */
interface Product {
  readonly merchant: "BOWLS" | "SOAPS";
  readonly sku: string;
  readonly places: readonly (readonly [bin: string, lot_number?: string])[];
}

// Both merchants have a MUG. Two lots of MILK are in one bin.
export const products: readonly Product[] = [
  { merchant: "BOWLS", sku: "MUG", places: [["A-01"], ["B-03"]] },
  { merchant: "BOWLS", sku: "PLATE", places: [["A-02"], ["B-01"]] },
  { merchant: "BOWLS", sku: "BOWL", places: [["A-03"], ["C-01"]] },
  {
    merchant: "BOWLS",
    sku: "MILK",
    places: [
      ["D-01", "M-1"],
      ["D-01", "M-2"],
      ["D-02", "M-3"],
    ],
  },
  { merchant: "SOAPS", sku: "MUG", places: [["C-02"]] },
  { merchant: "SOAPS", sku: "SOAP", places: [["A-02"], ["C-03"]] },
  {
    merchant: "SOAPS",
    sku: "OIL",
    places: [
      ["D-02", "O-1"],
      ["D-03", "O-2"],
    ],
  },
];
const units_in_a_bin = 400;
const totes = 90;

export const waveModes = ["cluster", "batch", "single", "order"] as const;
export type WaveMode = (typeof waveModes)[number];
const orders_of: Readonly<Record<WaveMode, number>> = { cluster: 5, batch: 5, single: 6, order: 1 };

/** What is read from a scanned unit: GS1 data for units with a lot. */
export function codeOf({ merchant_id, sku, lot_number }: Goods, merchants: ReadonlyMap<string, string>): string {
  const at = products.findIndex((one) => one.sku === sku && merchants.get(one.merchant) === merchant_id);
  return lot_number === null ? eanOf(at) : `]C1010${eanOf(at)}10${lot_number}`;
}

/** A wave that is planned, with its orders. */
export interface PlannedWave {
  readonly id: string;
  readonly mode: WaveMode;
  readonly order_ids: readonly string[];
}

/** The warehouse, once its goods are in their bins. */
export interface FloorHouse {
  readonly api: Client;
  readonly model: FloorModel;
  /** The ids of the merchants by code. */
  readonly merchants: ReadonlyMap<string, string>;
  readonly station_id: string;
  readonly waves: PlannedWave[];
}

/** Sends a request until a server has answered it. */
export async function sendUntilAnswered(
  { api }: Pick<FloorHouse, "api">,
  method: string,
  path: string,
  { body, key, merchant = null }: { body?: object; key?: string; merchant?: string | null } = {},
): Promise<Answer> {
  const headers = {
    ...(key !== undefined && { "idempotency-key": key }),
    ...(merchant !== null && { "packhouse-merchant": merchant }),
  };
  for (let tries = 0; ; tries += 1) {
    const answer = await api.send(method, path, body, headers).catch(() => null);
    const is_passing = answer === null || [429, 502, 503, 504].includes(answer.status);
    if (!is_passing && answer.body?.error?.code !== "idempotency_key_in_use") return answer;
    if (tries > 600) throw new Error(`${method} ${path}: no answer`);
    await Bun.sleep(100);
  }
}

/** Sends requests that must succeed, of a merchant or of the operator. Returns the body of the response. */
const senderOf =
  (house: Pick<FloorHouse, "api">, merchant: string | null = null) =>
  async (method: string, path: string, body?: object) => {
    const key = method === "GET" ? {} : { key: crypto.randomUUID() };
    const answer = await sendUntilAnswered(house, method, path, { ...(body && { body }), ...key, merchant });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

/** Fills the warehouse. `printer` is where labels are printed. */
export async function fillHouse(
  api: Client,
  model: FloorModel,
  printer: { readonly host: string; readonly port: number },
): Promise<FloorHouse> {
  const must = senderOf({ api });
  const merchants = new Map<string, string>();
  for (const code of ["BOWLS", "SOAPS"]) {
    const { data } = await must("POST", "/merchants", { code, name: code });
    merchants.set(code, data.id);
  }
  const [{ warehouse_id: location, location_zones }] = (await must("GET", "/inventory/locations")).data;
  const [{ zone_id, temperature_zone }] = location_zones;
  const place = { city: "Columbus", state: "OH", postal_code: "43215", country: "US" };
  const bins = [...new Set(products.flatMap(({ places }) => places.map(([bin]) => bin)))].sort();
  await must("PATCH", `/inventory/locations/${location}`, {
    address: { ...place, address_line1: "1200 Depot Street" },
    location_zones: [
      { zone_id, temperature_zone, bins: bins.map((code, at) => ({ code, pick_order: 10 + at, mix_merchants: true })) },
    ],
  });
  for (const [at, { merchant, sku, places }] of products.entries()) {
    const send = senderOf({ api }, merchant);
    const barcodes = [{ value: eanOf(at), type: "ean" }];
    const lot_tracking = places.some(([, lot]) => lot !== undefined);
    const weighed = { price: "4.50", weight: 300, weight_unit: "g" };
    await send("POST", "/products", { sku, name: `${merchant} ${sku}`, ...weighed, lot_tracking, barcodes });
    for (const [bin, lot_number] of places) {
      const lot = lot_number === undefined ? {} : { lot_number };
      await send("POST", "/inventory", { sku, quantity: units_in_a_bin, bin, location, ...lot });
      const goods = { merchant_id: merchants.get(merchant) ?? "", sku, lot_number: lot_number ?? null };
      model.receive(goods, bin, units_in_a_bin);
    }
  }
  await must("POST", "/totes/bulk", { prefix: "T-", first: 1, count: totes });
  const zebra = await must("POST", "/printers", { name: "Zebra", kind: "zpl_tcp", ...printer });
  const table = await must("POST", "/stations", { name: "Table 1", label_printer_id: zebra.data.id });
  return { api, model, merchants, station_id: table.data.id, waves: [] };
}

/** Places orders and plans waves of them, in all modes in turn. `only` limits what is ordered. */
export async function planWaves(
  { api, model, merchants, waves }: FloorHouse,
  modes: readonly WaveMode[],
  random: Random,
  only: (product: Product) => boolean = () => true,
): Promise<PlannedWave[]> {
  const buyers = new Map<string, Awaited<ReturnType<typeof buyerOf>>>();
  for (const code of merchants.keys()) {
    const email = `buyer-${waves.length}@${code.toLowerCase()}.example`;
    buyers.set(code, await buyerOf(senderOf({ api }, code), { email }));
  }
  const codes = [...merchants.keys()];
  const order = async (mode: WaveMode): Promise<string> => {
    const code = random.pick(codes);
    const own = products.filter((one) => one.merchant === code && only(one));
    // Units of a one-unit order are scanned without their order, so they have no lots here.
    const loose = own.filter(({ places }) => places.every(([, lot]) => lot === undefined));
    const lines = new Map<string, number>();
    if (mode === "single") lines.set(random.pick(loose).sku, 1);
    else {
      for (let n = random.integer(1, 3); n > 0; n -= 1) lines.set(random.pick(own).sku, random.integer(1, 3));
      if ([...lines.values()].every((quantity) => quantity === 1)) lines.set(random.pick(own).sku, 2);
    }
    const { id } = (await buyers.get(code)?.order(`F-${model.orders.size + 1}`, [...lines])) ?? {};
    model.orders.set(id, { id, merchant_id: merchants.get(code) ?? "", lines });
    return id;
  };
  const planned: PlannedWave[] = [];
  for (const mode of modes) {
    const order_ids: string[] = [];
    while (order_ids.length < orders_of[mode]) order_ids.push(await order(mode));
    const { data } = await senderOf({ api })("POST", "/waves", { mode, filters: { order_ids } });
    planned.push({ id: data.id, mode, order_ids });
  }
  waves.push(...planned);
  return planned;
}
