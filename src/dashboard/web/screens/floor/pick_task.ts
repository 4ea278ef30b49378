// Picking a wave on this device. What is left is the server's; only what was scanned since the last pick is kept here.
import { computed, signal } from "@preact/signals";
import { get, post } from "../../api/client.ts";
import type { Picked, ShortPickReason, WaveStop, WaveWalk } from "../../api/types.ts";
import { floorTexts } from "../../text/floor.ts";
import { type Outcome, sendUntilAnswered } from "./act_queue.ts";
import { device } from "./device.ts";
import { ambiguous, codeOf, isCode, lookUp, lotIn, nameOf, notExpected, plain, wrong } from "./scanned.ts";

const texts = floorTexts.pick;

/** What was scanned at the stop. */
interface Taken {
  readonly bin: string | null;
  readonly product_id: string | null;
  /** What was scanned on the item last, and the units that it stands for. */
  readonly code: string | null;
  readonly code_units: number;
  readonly lot_number: string | null;
  readonly units: number;
  /** These units by the code that was scanned, since cases and units are recorded apart. */
  readonly scans: readonly ScannedUnits[];
  /** Why no more units were found; the units so far go into the tote first. */
  readonly short: { readonly reason: ShortPickReason; readonly units: number } | null;
}

interface ScannedUnits {
  readonly code: string | null;
  readonly units: number;
}

const nothing: Taken = {
  ...{ bin: null, product_id: null, code: null, code_units: 1, lot_number: null },
  ...{ units: 0, scans: [], short: null },
};

/** What to do next at a stop. */
export type PickStep = "bin" | "item" | "lot" | "quantity" | "tote";

/** The picking of a wave: what is left of it, what was scanned at the stop, and what a scan does. */
export class PickTask {
  readonly walk = signal<WaveWalk | null>(null);
  readonly taken = signal(nothing);
  /** What the last pick took, to take it back. */
  readonly last = signal<LastPick | null>(null);
  readonly stop = computed(() => stopOf(this.walk.value, this.taken.value));
  /** The order whose tote the units go into; null if orders are picked together. */
  readonly order = computed(() => (this.walk.value?.mode === "cluster" ? (this.stop.value?.orders[0] ?? null) : null));
  readonly needed = computed(() => {
    const { short, units } = this.taken.value;
    return short === null ? (this.order.value?.quantity ?? this.stop.value?.quantity ?? 0) : units;
  });
  readonly step = computed((): PickStep => {
    const { bin, product_id, units, lot_number } = this.taken.value;
    if (bin === null) return "bin";
    if (product_id === null) return "item";
    if (lot_number === null && this.stop.value?.lot_number) return "lot";
    return units < this.needed.value || this.order.value === null ? "quantity" : "tote";
  });
  readonly #wave_id: string;

  constructor(wave_id: string) {
    this.#wave_id = wave_id;
  }

  /** Reads what is left. */
  async load(): Promise<void> {
    const params = { last_bin: this.taken.peek().bin };
    this.walk.value = (await get<WaveWalk>(`/waves/${this.#wave_id}/walk`, { params })).data;
  }

  /** Does what a scan means at this step. */
  async scan(read: string): Promise<Outcome> {
    const at = this.stop.peek();
    if (at === null) return allPicked;
    switch (this.step.peek()) {
      case "bin":
        return this.#scanBin(read, at);
      case "lot":
        return this.#scanLot(read, at);
      case "tote":
        return this.#scanTote(read);
      default:
        return this.#scanItem(read, at);
    }
  }

  #scanBin(read: string, at: WaveStop): Outcome {
    const found = this.walk.peek()?.stops.find(({ bin }) => isCode(read, bin));
    if (found === undefined) return wrong(texts.wrongBin, texts.expectedBin(at.bin), "wrong_bin");
    this.taken.value = { ...nothing, bin: found.bin };
    return { kind: "right", title: texts.inBin(found.bin) };
  }

  async #scanItem(read: string, at: WaveStop): Promise<Outcome> {
    if (isCode(read, at.bin)) return { kind: "info", title: texts.scanItemNow(at.bin) };
    const { bin, product_id } = this.taken.peek();
    const found = await lookUp(read, this.walk.peek()?.warehouse_id ?? null);
    const here = this.walk.peek()?.stops.filter((one) => isCode(one.bin, bin)) ?? [];
    const products = found.products.filter(({ id }) => here.some((one) => one.product_id === id));
    const product = products.find(({ id }) => id === at.product_id) ?? products[0];
    if (product === undefined || (product_id !== null && product.id !== product_id)) {
      return notExpected(found, texts.item(at.name, at.sku));
    }
    if (found.type === "ambiguous") return ambiguous(found);
    const lot = lotIn(found, product);
    const stops = here.filter((one) => one.product_id === product.id);
    const planned = stops.find(({ lot_number }) => lot === null || lot_number === lot);
    if (planned === undefined) return wrong(texts.wrongLot, texts.expectedLot(stops[0]?.lot_number ?? ""), "wrong_lot");
    const lot_number = planned.lot_number === null ? null : (lot ?? this.taken.peek().lot_number);
    const lacks_lot = planned.lot_number !== null && lot_number === null;
    this.taken.value = {
      ...this.taken.peek(),
      product_id: product.id,
      code: codeOf(found),
      code_units: product.quantity,
      lot_number,
    };
    if (lacks_lot) return { kind: "right", title: planned.name, text: texts.scanLot };
    return this.addUnits(product.quantity, nameOf(product));
  }

  async #scanLot(read: string, { lot_number }: WaveStop): Promise<Outcome> {
    const found = isCode(read, lot_number) ? null : await lookUp(read, null);
    if (found?.type === "ambiguous") return ambiguous(found);
    if (found !== null && found.readings[0]?.lot_number !== lot_number) {
      return wrong(texts.wrongLot, texts.expectedLot(lot_number ?? ""), "wrong_lot");
    }
    this.taken.value = { ...this.taken.peek(), lot_number };
    return this.addUnits(this.taken.peek().code_units);
  }

  #scanTote(read: string): Outcome | Promise<Outcome> {
    const { code, units } = this.taken.peek();
    const totes = this.order.peek()?.totes ?? [];
    if (isCode(read, code)) return wrong(texts.tooMany, texts.onlyNeeded(this.needed.peek(), units), "surplus_item");
    const tote = totes.find((one) => isCode(read, one)) ?? (totes.length === 0 ? plain(read) : null);
    if (tote === null) return wrong(texts.wrongTote, texts.expectedTote(totes), "wrong_tote");
    return this.#finish(tote);
  }

  /** Counts units in the hand. In sum, the last one records the pick. */
  async addUnits(units: number, name = this.stop.peek()?.name ?? ""): Promise<Outcome> {
    const { code, scans, units: before } = this.taken.peek();
    const total = before + units;
    const need = this.needed.peek();
    if (total > need) return wrong(texts.tooMany, texts.onlyNeeded(need, before, units), "surplus_item");
    const of_code = scans.find((one) => one.code === code)?.units ?? 0;
    const others = scans.filter((one) => one.code !== code);
    this.taken.value = { ...this.taken.peek(), units: total, scans: [...others, { code, units: of_code + units }] };
    if (total === need && this.order.peek() === null) return this.#finish();
    return { kind: "right", title: texts.counted(total, need), text: name };
  }

  /** Records that units are missing. Units in the hand go into their tote first. */
  async reportShort(reason: ShortPickReason, missing: number): Promise<Outcome> {
    const bin = this.stop.peek()?.bin ?? null;
    this.taken.value = { ...this.taken.peek(), bin, short: { reason, units: missing } };
    if (this.taken.peek().units > 0 && this.order.peek() !== null) return { kind: "info", title: texts.toteFirst };
    return this.#finish();
  }

  /** Records the units in the hand, and then what was missing. */
  async #finish(tote?: string): Promise<Outcome> {
    const { bin, lot_number, units, scans, short } = this.taken.peek();
    const at = this.stop.peek();
    if (at === null || bin === null) return allPicked;
    const lot = lot_number === null ? {} : { lot_number };
    const sku = { sku: at.sku };
    let result: Picked | null = null;
    try {
      const picked: LastPick["picked"][number][] = [];
      for (const scan of scans) {
        const item = { bin, ...(scan.code === null ? sku : { code: scan.code }), ...lot, quantity: scan.units };
        result = await this.#pick({ ...item, tote, order_id: this.order.peek()?.order_id });
        picked.push(...result.picked);
        this.last.value = { picked: [...picked], name: at.name };
        const now = this.taken.peek();
        this.taken.value = {
          ...now,
          units: now.units - scan.units,
          scans: now.scans.filter((one) => one !== scan),
        };
      }
      if (short !== null) {
        const missing = { bin, ...sku, ...lot, quantity: short.units, short: true, reason: short.reason };
        result = await this.#pick(missing);
      }
    } finally {
      // In sum, units that were refused are counted again. With a tote, another one may be scanned.
      const left = tote === undefined ? { units: 0, scans: [] } : {};
      this.taken.value = { ...this.taken.peek(), ...left, short: null };
      await this.#goOn();
    }
    return outcomeOf(result, at, units, tote);
  }

  /** Takes the last pick back. Its units go back to their bin. */
  async takeBack(): Promise<Outcome | null> {
    const before = this.last.peek();
    if (before === null) return null;
    const { picked, name } = before;
    this.last.value = null;
    for (const { order_id, sku, quantity } of picked) {
      const item = { order_id, sku, quantity, reason: "wrong_quantity", device: device.peek().name };
      await sendUntilAnswered((key) => post<Picked>(`/waves/${this.#wave_id}/unpick`, item, { key }));
    }
    this.taken.value = nothing;
    await this.load();
    return { kind: "info", title: texts.takenBack(name) };
  }

  async #pick(item: Readonly<Record<string, unknown>>): Promise<Picked> {
    const body = { ...item, device: device.peek().name };
    const send = (key: string) => post<Picked>(`/waves/${this.#wave_id}/picks`, body, { key });
    return (await sendUntilAnswered(send)).data;
  }

  /**
   * Reads what is left, also after a refusal: someone else may have changed the orders. What was scanned stays as long
   * as the same item is wanted from the same bin.
   */
  async #goOn(): Promise<void> {
    await this.load();
    const { bin, product_id, lot_number } = this.taken.peek();
    const here = this.walk.peek()?.stops.filter((one) => isCode(one.bin, bin)) ?? [];
    const isSame = (one: WaveStop) =>
      one.product_id === product_id && (lot_number === null || one.lot_number === lot_number);
    if (!here.some(isSame)) this.taken.value = { ...nothing, bin: here.length > 0 ? bin : null };
    else if (this.taken.peek().units > this.needed.peek())
      this.taken.value = { ...this.taken.peek(), units: 0, scans: [] };
  }
}

const allPicked: Outcome = { kind: "done", title: texts.allPicked };

function outcomeOf(result: Picked | null, at: WaveStop, units: number, tote: string | undefined): Outcome {
  const short = result?.short ?? [];
  const held = short.filter((one) => one.held);
  const aside = held.map(({ order_number, totes }) => texts.aside(order_number, totes));
  if (held.length > 0) return { kind: "info", title: texts.problemShelf, text: aside.join(" ") };
  if (result === null || result.next === null) return allPicked;
  if (short.length > 0) return { kind: "info", title: texts.otherBin(result.next.bin) };
  return { kind: "right", title: texts.picked(units, at.name), ...(tote && { text: texts.intoTote(tote) }) };
}

interface LastPick {
  readonly picked: Picked["picked"];
  readonly name: string;
}

/** The stop where the picker is: the one of the bin and the item that they scanned, or the next one. */
function stopOf(walk: WaveWalk | null, { bin, product_id, lot_number }: Taken): WaveStop | null {
  const stops = walk?.stops ?? [];
  const here = stops.filter((one) => bin !== null && isCode(one.bin, bin));
  const of_item = here.filter((one) => one.product_id === product_id);
  const of_lot = of_item.find((one) => lot_number === null || one.lot_number === lot_number);
  return of_lot ?? here[0] ?? stops[0] ?? null;
}
