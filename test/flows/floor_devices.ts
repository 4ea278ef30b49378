// Handheld devices that work as their screens do: an act is stored before it is sent, sent until it is answered, and
// after a tab was closed sent again with the same key.
import type { Random } from "../../src/core/random.ts";
import {
  codeOf,
  type FloorHouse,
  type PlannedWave,
  products,
  sendUntilAnswered,
  type WaveMode,
} from "./floor_house.ts";
import type { Goods } from "./floor_model.ts";
import type { Answer } from "./service.ts";

/** The body of a response; devices read many shapes. */
type Data = Answer["body"];

interface StoredAct {
  readonly path: string;
  readonly body: object;
  readonly key: string;
  readonly merchant: string | null;
  /** The codes with which a wrong scan is refused. */
  readonly refused_as: readonly string[];
  /** Enters into the model what was done. */
  readonly done: (data: Data) => void;
}

class TabClosed extends Error {}

class Refused extends Error {
  readonly code: string;

  constructor(code: string, path: string) {
    super(`${path} was refused as ${code}`);
    this.code = code;
  }
}

/** How the day goes, for all devices. */
export interface Shift extends FloorHouse {
  readonly random: Random;
  readonly devices: readonly Device[];
  readonly counts: Map<string, number>;
  /** Short picks that may still be reported. */
  shorts_left: number;
  /** Units of goods in a bin that nobody finds. */
  readonly missing: { readonly goods: Goods; readonly bin: string; readonly quantity: number }[];
  is_over: boolean;
  /** Devices wait here between two acts while the day pauses. */
  pause: Promise<void> | null;
  readonly idle: Set<Device>;
}

/** Counts something that happened. */
export function count({ counts }: Pick<Shift, "counts">, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

/** What others, or a change of the order, may cause. */
const raced: ReadonlySet<string> = new Set([
  "already_packed",
  "insufficient_inventory",
  "invalid_state_transition",
  "no_matching_order",
  "order_cancelled",
  "order_not_picked",
  "order_on_hold",
  "resource_missing",
  "surplus_item",
  "task_taken",
  "tote_empty",
  "tote_in_use",
  "wave_closed",
  "wrong_bin",
  "wrong_item",
  "wrong_tote",
]);

/** One device and the person with it. */
export class Device {
  stored: StoredAct | null = null;
  /** The unit that is being scanned at the table. */
  hand: { readonly order_ids: readonly string[]; readonly merchant_id: string; readonly sku: string } | null = null;
  readonly name: string;
  readonly shift: Shift;
  #last_bin: string | null = null;

  constructor(name: string, shift: Shift) {
    this.name = name;
    this.shift = shift;
  }

  /** Works until the day is over. */
  async run(): Promise<void> {
    while (!this.shift.is_over) {
      try {
        await this.#betweenActs();
        if (this.stored !== null) await this.#finish();
        else if (!(await this.#workOn(await this.#nextTask()))) await Bun.sleep(100);
      } catch (error) {
        if (error instanceof TabClosed) count(this.shift, "tabs closed");
        else if (!(error instanceof Refused)) throw error;
        else if (raced.has(error.code)) count(this.shift, `refused: ${error.code}`);
        else throw error;
      }
    }
  }

  async #betweenActs(): Promise<void> {
    const { shift } = this;
    if (this.stored !== null || shift.pause === null) return;
    shift.idle.add(this);
    await shift.pause;
    shift.idle.delete(this);
  }

  #read(path: string): Promise<Data> {
    return sendUntilAnswered(this.shift, "GET", path).then(({ status, body }) => {
      if (status < 300) return body.data;
      throw new Refused(body.error.code, path);
    });
  }

  /** Does something. The tab may be closed right after it was sent. */
  async #act(
    path: string,
    body: object,
    done: (data: Data) => void,
    { merchant = null, refused_as = [] }: { merchant?: string | null; refused_as?: readonly string[] } = {},
  ): Promise<Data> {
    await this.#betweenActs();
    const { api, random } = this.shift;
    const stored = { path, body, key: crypto.randomUUID(), merchant, refused_as, done };
    this.stored = stored;
    if (random.chance(0.03)) {
      const headers = { "idempotency-key": stored.key, ...(merchant !== null && { "packhouse-merchant": merchant }) };
      void api.send("POST", path, body, headers).catch(() => {});
      await Bun.sleep(random.integer(0, 30));
      throw new TabClosed();
    }
    return this.#finish();
  }

  /** Sends the stored act until it is answered. */
  async #finish(): Promise<Data> {
    const { stored } = this;
    if (stored === null) return null;
    const { path, body, key, merchant, refused_as, done } = stored;
    const answer = await sendUntilAnswered(this.shift, "POST", path, { body, key, merchant });
    this.stored = null;
    this.hand = null;
    if (answer.status >= 300) {
      const { code } = answer.body.error;
      if (!refused_as.includes(code)) throw new Refused(code, path);
      count(this.shift, `wrong scans: ${code}`);
      return null;
    }
    done(answer.body.data);
    count(this.shift, `POST ${path.replace(/[a-z]+_\d+/g, ":id").replace(/:id_:id|put_back_:id/, ":id")}`);
    return answer.body.data;
  }

  /** A scan that is wrong, and is refused. */
  async #wrong(path: string, body: object, ...refused_as: readonly string[]): Promise<void> {
    const accepted = () => {
      throw new Error(`a wrong scan was not refused as ${refused_as}: ${path} ${JSON.stringify(body)}`);
    };
    await this.#act(path, body, accepted, { refused_as });
  }

  async #nextTask(): Promise<Data> {
    const { random } = this.shift;
    const device = { device: this.name };
    if (random.chance(0.1)) {
      const { tasks } = await this.#read("/work");
      const others = tasks.filter(({ claim }: Data) => claim !== null && claim.device !== this.name);
      if (others.length > 0) {
        const task = await this.#act(`/work/${random.pick<Data>(others).id}/take_over`, device, () => {});
        count(this.shift, "tasks taken over");
        return task;
      }
    }
    const last_bin = this.#last_bin === null ? {} : { last_bin: this.#last_bin };
    return (await this.#act("/work/next", { ...device, ...last_bin }, () => {})).task;
  }

  /** Does a task. Returns false if there is none. */
  async #workOn(task: Data): Promise<boolean> {
    if (task === null) return false;
    if (task.kind === "pick") await this.#pick(task);
    else if (task.kind === "pack") await this.#pack(task);
    else await this.#putBack(task);
    return true;
  }

  async #pick({ wave_id, mode }: Data): Promise<void> {
    const { shift } = this;
    const { random, model } = shift;
    const path = `/waves/${wave_id}/picks`;
    for (;;) {
      const { stops } = await this.#read(`/waves/${wave_id}/walk`);
      const stop = stops[0];
      if (stop === undefined) return;
      this.#last_bin = stop.bin;
      const share = mode === "cluster" ? stop.orders[0] : null;
      const most = share?.quantity ?? stop.quantity;
      const quantity = random.chance(0.3) ? random.integer(1, most) : most;
      const { bin, sku, lot_number } = stop;
      const goods: Goods = { merchant_id: stop.orders[0].merchant_id, sku, lot_number };
      const item = { bin, code: codeOf(goods, shift.merchants), quantity, device: this.name };
      if (shift.shorts_left > 0 && sku !== "MUG" && random.chance(0.06)) {
        await this.#missUnits(path, goods, { ...item, ...(share && { order_id: share.order_id }) });
        continue;
      }
      const into = share === null ? {} : { tote: share.totes[0] ?? (await this.#freeTote()), order_id: share.order_id };
      if (random.chance(0.1)) await this.#wrongPick(path, goods, { ...item, ...into });
      const picked = await this.#act(path, { ...item, ...into }, (data) => {
        const sum = data.picked.reduce((all: number, one: Data) => all + one.quantity, 0);
        if (sum !== quantity) throw new Error(`${sum} units were picked instead of ${quantity}`);
        for (const one of data.picked) model.pick(one.order_id, goods, bin, one.quantity);
      });
      if (random.chance(0.08)) await this.#unpick(wave_id, picked.picked[0].order_id, goods, bin);
    }
  }

  async #freeTote(): Promise<string> {
    const free = await this.#read("/totes?taken=false&limit=100");
    return this.shift.random.pick<Data>(free).code;
  }

  async #wrongPick(path: string, { sku }: Goods, item: object & { readonly bin: string }): Promise<void> {
    const { random } = this.shift;
    const foreign = products.find((one) => one.sku !== sku && one.places.every(([bin]) => bin !== item.bin));
    const merchant_id = this.shift.merchants.get(foreign?.merchant ?? "") ?? "";
    const lot_number = foreign?.places[0]?.[1] ?? null;
    const wrong_code = codeOf({ merchant_id, sku: foreign?.sku ?? "", lot_number }, this.shift.merchants);
    const [change, ...codes] = random.pick([
      [{ bin: "Z-99" }, "wrong_bin"],
      [{ quantity: 9999 }, "surplus_item"],
      [{ code: "4006381333931" }, "unknown_barcode"],
      // Others of the wave may need it, or have needed it.
      [{ code: wrong_code }, "wrong_item", "wrong_bin", "wrong_tote", "surplus_item"],
    ] as const);
    await this.#wrong(path, { ...item, ...change }, ...codes);
  }

  async #missUnits(path: string, goods: Goods, item: object & { bin: string; quantity: number }): Promise<void> {
    const { shift } = this;
    const reason = shift.random.pick(["not_found", "damaged", "wrong_item", "blocked"] as const);
    const { bin, quantity } = item;
    const is_lost = shift.random.chance(0.5);
    shift.shorts_left -= 1;
    await this.#act(path, { ...item, short: true, reason }, () => {
      count(shift, `short picks: ${reason}`);
      if (reason === "damaged") shift.model.lose(goods, bin, quantity);
      else if (is_lost) shift.missing.push({ goods, bin, quantity });
    });
  }

  /** Takes a unit of a pick back, if it is known from which bin the order's units came. */
  async #unpick(wave_id: string, order_id: string, goods: Goods, bin: string): Promise<void> {
    const { model, devices } = this.shift;
    const own = model.stagedFor(order_id).filter(({ sku }) => sku === goods.sku);
    const is_known = own.every((one) => one.bin === bin && one.lot_number === goods.lot_number);
    const is_alone = devices.every((one) => one === this || !one.stored?.path.includes(wave_id));
    // Once all of an order is picked, others may have its units in their hands.
    const is_complete = model.isPicked(order_id);
    if (own.length === 0 || is_complete || !is_known || !is_alone) return;
    const body = { order_id, sku: goods.sku, quantity: 1, reason: "wrong_quantity", device: this.name };
    await this.#act(`/waves/${wave_id}/unpick`, body, () => model.shelveAgain("unpicked", order_id, goods, bin, 1));
  }

  async #pack({ id, order_id, totes }: Data): Promise<void> {
    const { random, waves, station_id } = this.shift;
    const wave = waves.find(({ order_ids }) => order_ids.includes(order_id));
    const at = { station_id, device: this.name };
    if (wave !== undefined && isSummed(wave.mode) && random.chance(0.7)) {
      const session = await this.#packItem(order_id, wave, at);
      if (session === null) return;
      await this.#fillParcel(session);
      if (session.order_id !== order_id) await this.#act(`/work/${id}/release`, { device: this.name }, () => {});
      return;
    }
    const name = totes.length > 0 && random.chance(0.5) ? { code: totes[0] } : { order_id };
    await this.#fillParcel(await this.#act("/packing_sessions", { ...at, ...name }, () => {}));
  }

  /**
   * Scans an item of an order at the table: it goes to the first order that needs it. Returns null if others have taken
   * the last one.
   */
  async #packItem(order_id: string, { id: wave_id, mode, order_ids }: PlannedWave, at: object): Promise<Data> {
    const { random, model, merchants } = this.shift;
    const staged = model.stagedFor(order_id);
    const goods = staged.length === 0 ? null : random.pick(staged);
    if (goods === null || this.#onTable(order_ids, goods) < 1) return null;
    const body = { ...at, code: codeOf(goods, merchants), ...(mode === "batch" && { wave_id }) };
    return this.#atTable(order_ids, goods, () =>
      this.#act("/packing_sessions/from_item", body, (data) => this.#enterScan(data, goods.sku, 1)),
    );
  }

  /** Units of a wave on the table that nobody has scanned or has in the hand. */
  #onTable(order_ids: readonly string[], { merchant_id, sku }: Goods): number {
    const { model, devices } = this.shift;
    const own = order_ids.filter((id) => model.orders.get(id)?.merchant_id === merchant_id);
    const staged = own.flatMap((id) => model.stagedFor(id)).filter((units) => units.sku === sku);
    const scanned = own.reduce((sum, id) => sum + model.scannedFor(id, sku), 0);
    const held = devices.filter(
      ({ hand }) => hand?.sku === sku && hand.merchant_id === merchant_id && hand.order_ids === order_ids,
    );
    return staged.reduce((sum, { quantity }) => sum + quantity, 0) - scanned - held.length;
  }

  /** Does something with a unit of a wave in the hand. A tab that is closed keeps it there until it is opened again. */
  async #atTable<Done>(order_ids: readonly string[], goods: Goods, work: () => Promise<Done>): Promise<Done> {
    this.hand = { order_ids, merchant_id: goods.merchant_id, sku: goods.sku };
    try {
      return await work();
    } finally {
      if (this.stored === null) this.hand = null;
    }
  }

  #enterScan(session: Data, sku: string, quantity: number): void {
    const { model } = this.shift;
    model.scan(session.id, sku, quantity, session.order_id);
    if (session.status === "closed") model.packed.set(session.order_id, session.id);
  }

  async #fillParcel(opened: Data): Promise<void> {
    const { random, model, merchants, waves } = this.shift;
    const path = `/packing_sessions/${opened.id}`;
    for (let session = opened; session.status === "open"; ) {
      const line = session.lines.find(({ needed, scanned }: Data) => scanned < needed);
      // The order was cancelled while a unit was taken out.
      if (line === undefined) return;
      const { merchant_id } = session;
      const lot = line.lots.find(({ quantity, scanned }: Data) => scanned < quantity);
      const { sku } = line;
      const left = lot === undefined ? line.needed - line.scanned : 1;
      const quantity = random.chance(0.3) ? left : 1;
      const code = codeOf({ merchant_id, sku, lot_number: lot?.lot_number ?? null }, merchants);
      if (random.chance(0.08)) await this.#wrong(`${path}/scans`, { code: "4006381333931" }, "unknown_barcode");
      if (random.chance(0.08)) {
        const wrong = lot === undefined ? { code, quantity: 9999 } : { code: code.replace(/10[MO]-\d$/, "10X-9") };
        await this.#wrong(`${path}/scans`, wrong, lot === undefined ? "surplus_item" : "wrong_lot");
      }
      const order_ids = waves.find((wave) => wave.order_ids.includes(session.order_id))?.order_ids ?? [];
      const scan = () => this.#act(`${path}/scans`, { code, quantity }, (data) => this.#enterScan(data, sku, quantity));
      session = await this.#atTable(order_ids, { merchant_id, sku, lot_number: null }, scan);
      if (session.status === "open" && random.chance(0.06)) {
        const body = { code, quantity: 1 };
        session = await this.#act(`${path}/unscan`, body, () => model.scan(session.id, sku, -1, session.order_id));
      }
    }
  }

  async #putBack({ put_backs }: Data): Promise<void> {
    const { model, random } = this.shift;
    for (const { order_id, merchant_id, sku, lot_number, quantity: most, location, suggested_bin } of put_backs) {
      const goods: Goods = { merchant_id, sku, lot_number };
      const quantity = random.integer(1, most);
      const lot = lot_number === null ? {} : { lot_number };
      const body = { order_id, sku, quantity, location, bin: suggested_bin ?? "E-01", ...lot };
      const done = (data: Data) => model.shelveAgain("put_back", order_id, goods, data.bin, data.quantity);
      await this.#act("/inventory/putbacks", body, done, { merchant: merchant_id });
    }
  }
}

const isSummed = (mode: WaveMode) => mode === "batch" || mode === "single";
