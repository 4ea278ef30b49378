// The work on a batch of orders: rates, purchases, documents and shipping, with what became of each order.
import { computed, signal } from "@preact/signals";
import { get, post } from "../../api/client.ts";
import { ApiProblem, problemOf } from "../../api/problem.ts";
import { refresh } from "../../api/query.ts";
import type { BulkActionResult, LabelRate, LabelRates, LabelRecord, Order, PrintedDocument } from "../../api/types.ts";
import { unselect } from "../../browser/kept_places.ts";
import { isTexts, keepInTab, keptInTab } from "../../browser/preferences.ts";
import type { FormValues } from "../../components/fields.tsx";
import { batchTexts as texts } from "../../text/batch.ts";
import { stateWords } from "../../text/states.ts";
import { agreeToSamples, rateKey, rateOfMethod } from "./label_rates.tsx";
import { looseLines, reservedItems } from "./units_field.tsx";

/** A step that the batch can be in the middle of. */
export type BatchStep = "buy" | "print" | "ship";

interface Quoted {
  readonly rates: LabelRates | null;
  readonly problem: ApiProblem | null;
}

/** One order of the batch. */
export interface BatchRow {
  readonly order: Order;
  /** Why it cannot get a label; null if it can, or has all of its labels. */
  readonly hindered: string | null;
  /** Whether all of its units are in parcels with labels. */
  readonly labelled: boolean;
  readonly quoted: Quoted | null;
  readonly rate: LabelRate | null;
  readonly label: LabelRecord | null;
  /** The last refusal. */
  readonly problem: ApiProblem | null;
}

/** The choice of the cheapest service for all orders. */
export const cheapest = "cheapest";

const together_max = 4;
const acted_max = 25;
const poll_ms = 400;
const typing_ms = 400;
const polls_max = 1500;
const parcels_max = 50;

/** Starts a batch with these orders; the tab keeps it until the next one. */
export const beginBatch = (ids: readonly string[]): void => keepInTab("batch", ids);

/** The orders of the tab's batch. */
function batchIds(): readonly string[] {
  const kept = keptInTab("batch");
  return isTexts(kept) ? kept : [];
}

async function forEachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: together_max }, worker));
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function hindrance(order: Order): string | null {
  const { holds, allocation, allowed_actions } = order;
  if (holds.length > 0) return texts.held(holds.map(({ reason }) => stateWords(reason)).join(", "));
  if (!allocation.complete) return texts.short(allocation.backordered_units);
  return allowed_actions.includes("ship") ? null : texts.notNow;
}

const pendingLabels = ({ shipments }: Order) =>
  shipments.filter(({ status, tracking_number }) => status === "pending" && tracking_number !== null);
const hasLabels = (order: Order) => pendingLabels(order).length > 0 && looseLines(order).length === 0;

/** The batch of a tab. */
export class Batch {
  readonly ids = signal<readonly string[]>(batchIds());
  readonly unread = signal(0);
  readonly box = signal<FormValues>({ weight: "", weight_unit: "lb" });
  /** The service for all orders: a rate's key, the cheapest, or as chosen for each. */
  readonly all = signal("");
  readonly file = signal<PrintedDocument | null>(null);
  readonly work = signal<{ readonly step: BatchStep; readonly done: number; readonly total: number } | null>(null);
  readonly #orders = signal<ReadonlyMap<string, Order>>(new Map());
  readonly #quotes = signal<ReadonlyMap<string, Quoted>>(new Map());
  readonly #own = signal<ReadonlyMap<string, string>>(new Map());
  readonly #labels = signal<ReadonlyMap<string, LabelRecord>>(new Map());
  readonly #problems = signal<ReadonlyMap<string, ApiProblem>>(new Map());
  readonly #printed = signal<ReadonlySet<string>>(new Set());
  #asking = new AbortController();
  #typing: ReturnType<typeof setTimeout> | undefined;

  readonly rows = computed(() => this.ids.value.flatMap((id) => this.#rowOf(id) ?? []));
  /** Rows whose labels can be bought now. Failed purchases wait for the user. */
  readonly buyable = computed(() => this.rows.value.filter((row) => isBuyable(row) && row.problem === null));
  readonly failed = computed(() => this.rows.value.filter((row) => isBuyable(row) && row.problem !== null));
  readonly toChoose = computed(() =>
    this.rows.value.filter((row) => isOpen(row) && row.rate === null && (row.quoted?.rates?.rates.length ?? 0) > 0),
  );
  readonly labelled = computed(() => this.rows.value.filter(({ labelled }) => labelled));
  readonly printable = computed(() => this.labelled.value.filter(({ order }) => !this.isPrinted(order)));
  readonly shippable = computed(() => this.labelled.value.filter(({ hindered }) => hindered === null));
  readonly asking = computed(() => this.rows.value.some((row) => isOpen(row) && row.quoted === null));

  #rowOf(id: string): BatchRow | null {
    const order = this.#orders.value.get(id);
    if (order === undefined) return null;
    const quoted = this.#quotes.value.get(id) ?? null;
    const key = this.#own.value.get(id) ?? this.all.value;
    const labelled = hasLabels(order);
    const label = this.#labels.value.get(id) ?? null;
    const problem = this.#problems.value.get(id) ?? null;
    const rate = rateFor(order, quoted?.rates?.rates ?? [], key);
    return { order, hindered: hindrance(order), labelled, quoted, rate, label, problem };
  }

  isPrinted(order: Order): boolean {
    return this.#printed.value.has(order.id) || order.printed.label_at !== null;
  }

  /** Reads the orders and asks for rates. */
  async open(): Promise<void> {
    await this.#read(this.ids.peek());
    await this.askRates();
  }

  close(): void {
    this.#asking.abort();
  }

  remove(id: string): void {
    this.ids.value = this.ids.peek().filter((one) => one !== id);
    keepInTab("batch", this.ids.peek());
  }

  choose(id: string, key: string): void {
    this.#own.value = new Map(this.#own.peek()).set(id, key);
  }

  chooseAll(key: string): void {
    this.all.value = key;
    this.#own.value = new Map();
  }

  /** Changes the weight of each parcel, and asks for new rates once the user has stopped typing. */
  weigh(name: string, value: string): void {
    this.box.value = { ...this.box.peek(), [name]: value };
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => {
      this.#quotes.value = new Map();
      void this.askRates();
    }, typing_ms);
  }

  async #read(ids: readonly string[]): Promise<void> {
    const found = new Map(this.#orders.peek());
    await forEachOf(ids, async (id) => {
      const answer = await get<Order>(`/orders/${id}`).catch(() => null);
      if (answer === null) this.unread.value += 1;
      else found.set(id, answer.data);
    });
    this.#orders.value = found;
  }

  /** Asks for the rates of all orders that need a label, or of these. */
  async askRates(rows: readonly BatchRow[] = this.rows.peek().filter(isOpen)): Promise<void> {
    this.#asking.abort();
    this.#asking = new AbortController();
    const { signal: aborted } = this.#asking;
    const { weight = "", weight_unit } = this.box.peek();
    const own = Number(weight) > 0 ? { weight: Number(weight), weight_unit } : {};
    await forEachOf(rows, async ({ order }) => {
      if (aborted.aborted) return;
      const body = { order_id: order.id, items: reservedItems(looseLines(order)), ...own };
      const quoted = await post<LabelRates>("/shipping/rates", body, { signal: aborted, key: null }).then(
        ({ data }): Quoted => ({ rates: data, problem: null }),
        (error): Quoted => ({ rates: null, problem: problemOf(error) }),
      );
      if (!aborted.aborted) this.#quotes.value = new Map(this.#quotes.peek()).set(order.id, quoted);
    });
  }

  #begin(step: BatchStep, total: number): void {
    this.work.value = { step, done: 0, total };
  }

  #count(done: number): void {
    const work = this.work.peek();
    if (work !== null) this.work.value = { ...work, done: work.done + done };
  }

  #end(): void {
    this.work.value = null;
    refresh(new Set(["orders", "shipments"]));
  }

  #refuse(id: string, problem: ApiProblem | null): void {
    const problems = new Map(this.#problems.peek());
    if (problem === null) problems.delete(id);
    else problems.set(id, problem);
    this.#problems.value = problems;
  }

  /** Buys the labels at the shown prices. What fails stays, with its reason; what is bought stays bought. */
  async buy(rows: readonly BatchRow[] = this.buyable.peek()): Promise<void> {
    if (!(await agreeToSamples(rows.flatMap(({ rate }) => rate ?? [])))) return;
    this.#begin("buy", rows.length);
    await forEachOf(rows, async ({ order, rate, quoted }) => {
      const items = reservedItems(looseLines(order));
      const body = { order_id: order.id, quote_id: rate?.quote_id, package: quoted?.rates?.parcel, items };
      await post<LabelRecord>("/shipping/labels", body)
        .then(({ data }) => this.#finished(data))
        .then(
          (label) => {
            this.#labels.value = new Map(this.#labels.peek()).set(order.id, label);
            this.#refuse(order.id, null);
          },
          (error) => this.#refuse(order.id, problemOf(error)),
        );
      this.#count(1);
    });
    await this.#read(rows.map(({ order }) => order.id));
    this.#end();
  }

  /** The label once its carrier has sold it. */
  async #finished(label: LabelRecord): Promise<LabelRecord> {
    let now = label;
    for (let polls = 0; now.status === "processing" && polls < 100; polls += 1) {
      await pause(poll_ms);
      now = (await get<LabelRecord>(`/shipping/labels/${label.label_id}`)).data;
    }
    return now;
  }

  /** Asks for new rates where a purchase failed, since a quote is valid once, and buys again unless it costs more. */
  async retry(): Promise<void> {
    const before = this.failed.peek();
    await this.askRates(before);
    const prices = new Map(before.map(({ order, rate }) => [order.id, rate?.rate ?? 0]));
    for (const { order } of before) this.#refuse(order.id, null);
    const again = this.buyable.peek().filter(({ order, rate }) => {
      const price = prices.get(order.id);
      return price !== undefined && rate !== null && rate.rate <= price;
    });
    await this.buy(again);
  }

  /** Prints into a tab that the click has opened, since browsers block a later one. */
  async print(rows: readonly BatchRow[], include: readonly string[], tab: Window | null): Promise<void> {
    this.#begin("print", rows.length);
    try {
      const order_ids = rows.map(({ order }) => order.id);
      const body = { order_ids, include, slips: "beside_labels" };
      let { data: file } = await post<PrintedDocument>("/documents", body);
      for (let polls = 0; file.status === "processing" && polls < polls_max; polls += 1) {
        this.work.value = { step: "print", ...file.progress };
        await pause(poll_ms);
        file = (await get<PrintedDocument>(`/documents/${file.id}`)).data;
      }
      this.file.value = file;
      if (file.url !== null && tab !== null) tab.location.href = file.url;
      else tab?.close();
      const labelled = file.printed.filter(({ label_ids }) => label_ids.length > 0);
      this.#printed.value = new Set([...this.#printed.peek(), ...labelled.map(({ order_id }) => order_id)]);
    } catch (error) {
      tab?.close();
      throw error;
    } finally {
      this.#end();
    }
  }

  /** Ships the orders, after the steps before. Returns how many have shipped. Others stay, with their reason. */
  async ship(rows: readonly BatchRow[] = this.shippable.peek()): Promise<number> {
    this.#begin("ship", rows.length);
    const shipped: string[] = [];
    try {
      for (let at = 0; at < rows.length; at += acted_max) {
        const ids = rows.slice(at, at + acted_max).map(({ order }) => order.id);
        shipped.push(...(await this.#shipAll(ids)));
        this.#count(ids.length);
      }
    } finally {
      await this.#read(rows.map(({ order }) => order.id));
      unselect("/orders", shipped);
      this.#end();
    }
    return shipped.length;
  }

  /** Ships orders parcel by parcel, since each request hands over one parcel with a label. */
  async #shipAll(ids: readonly string[]): Promise<readonly string[]> {
    const shipped: string[] = [];
    for (let [left, parcels] = [ids, 0]; left.length > 0 && parcels < parcels_max; parcels += 1) {
      const { data } = await post<BulkActionResult>("/orders/actions", { action: "ship", order_ids: left });
      const more: string[] = [];
      for (const { id, ok, order, error } of data.results) {
        this.#refuse(id, ok ? null : new ApiProblem(409, { error }));
        const status = (order as Order | undefined)?.status;
        if (ok && status === "shipped") shipped.push(id);
        else if (ok) more.push(id);
      }
      left = more;
    }
    return shipped;
  }
}

/** Whether an order still needs a label, and can get one. */
const isOpen = ({ hindered, order }: BatchRow) => hindered === null && looseLines(order).length > 0;
const isBuyable = (row: BatchRow) => isOpen(row) && row.rate !== null;

/** The rate that the user chose, else the one that the order's rules or its shipping method name. */
function rateFor(order: Order, rates: readonly LabelRate[], key: string): LabelRate | null {
  if (key === cheapest) return rates[0] ?? null;
  if (key !== "") return rates.find((rate) => rateKey(rate) === key) ?? null;
  return rates.find(({ chosen }) => chosen) ?? rateOfMethod(rates, order.shipping_method);
}
