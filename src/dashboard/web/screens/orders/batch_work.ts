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
import { forEachOf, readOrders } from "./undo_steps.ts";
import { looseLines, reservedItems } from "./units_field.tsx";

/** A step that the batch can be in the middle of. */
export type BatchStep = "buy" | "print" | "ship";

interface Quoted {
  readonly rates: LabelRates | null;
  readonly problem: ApiProblem | null;
}

/** What the shipping rules pick instead of another rate: a rate, or none with the reason. */
interface RuleDifference {
  readonly rate: LabelRate | null;
  readonly reason: string;
}

/** One order of the batch. */
export interface BatchRow {
  readonly order: Order;
  /** Why it cannot get a label; null if it can, or has all of its labels. */
  readonly hindered: string | null;
  /** Whether all of its units are in parcels with labels. */
  readonly labelled: boolean;
  readonly quoted: Quoted | null;
  /** The rate that is shown: that of the label once there is one. */
  readonly rate: LabelRate | null;
  /** Its labels, oldest first. */
  readonly labels: readonly LabelRecord[];
  /** What the shipping rules pick, if that is not the rate that is shown. */
  readonly differs: RuleDifference | null;
  /** The last refusal. */
  readonly problem: ApiProblem | null;
}

/** The choice of the cheapest service for all orders. */
export const cheapest = "cheapest";

const acted_max = 25;
const poll_ms = 400;
const watch_ms = 1000;
const typing_ms = 400;
const polls_max = 1500;
const parcels_max = 50;
const none: readonly LabelRecord[] = [];
const listed_max = 20;

/** Starts a batch with these orders; the tab keeps it until the next one. */
export const beginBatch = (ids: readonly string[]): void => keepInTab("batch", ids);

/** The orders of the tab's batch. */
function batchIds(): readonly string[] {
  const kept = keptInTab("batch");
  return isTexts(kept) ? kept : [];
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
const hasParcels = ({ shipments }: Order) => shipments.some(({ status }) => status !== "voided");

/** The batch of a tab. */
export class Batch {
  readonly ids = signal<readonly string[]>(batchIds());
  readonly unread = signal(0);
  readonly box = signal<FormValues>({ weight: "", weight_unit: "lb" });
  /** The service for all orders: a rate's key, the cheapest, or as chosen for each. */
  readonly all = signal("");
  readonly file = signal<PrintedDocument | null>(null);
  readonly work = signal<{ readonly step: BatchStep; readonly done: number; readonly total: number } | null>(null);
  readonly busy = computed(() => this.work.value !== null);
  readonly #orders = signal<ReadonlyMap<string, Order>>(new Map());
  readonly #quotes = signal<ReadonlyMap<string, Quoted>>(new Map());
  readonly #own = signal<ReadonlyMap<string, string>>(new Map());
  readonly #labels = signal<ReadonlyMap<string, readonly LabelRecord[]>>(new Map());
  readonly #problems = signal<ReadonlyMap<string, ApiProblem>>(new Map());
  readonly #printed = signal<ReadonlySet<string>>(new Set());
  /** The rows as they were made last, and of what: a row that has not changed is not drawn again. */
  readonly #known = new Map<string, { readonly of: readonly unknown[]; readonly row: BatchRow }>();
  #asking = new AbortController();
  #watching = false;
  #closed = false;
  #typing: ReturnType<typeof setTimeout> | undefined;

  /** Whether only the rows that differ from the rules are shown. */
  readonly only_differing = signal(false);
  readonly rows = computed(() => this.ids.value.flatMap((id) => this.#rowOf(id) ?? []));
  readonly differing = computed(() => this.rows.value.filter(({ differs }) => differs !== null));
  readonly shown = computed(() =>
    this.only_differing.value && this.differing.value.length > 0 ? this.differing.value : this.rows.value,
  );
  /** Rows whose labels can be bought now. Failed purchases wait for the user. */
  readonly buyable = computed(() => this.rows.value.filter((row) => isBuyable(row) && row.problem === null));
  readonly failed = computed(() => this.rows.value.filter((row) => isBuyable(row) && row.problem !== null));
  readonly toChoose = computed(() =>
    this.rows.value.filter((row) => isOpen(row) && row.rate === null && (row.quoted?.rates?.rates.length ?? 0) > 0),
  );
  /** Labels that their carriers have not sold yet. */
  readonly waiting = computed(() =>
    this.rows.value.flatMap(({ labels }) => labels.filter(({ status }) => status === "processing")),
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
    const labels = this.#labels.value.get(id) ?? none;
    const problem = this.#problems.value.get(id) ?? null;
    const of = [order, quoted, key, labels, problem];
    const known = this.#known.get(id);
    if (known?.of.every((part, at) => part === of[at])) return known.row;
    const rates = quoted?.rates?.rates ?? [];
    const bought = labels.at(-1);
    const rate = bought === undefined ? rateFor(order, rates, key) : rateOfLabel(rates, bought);
    const differs = differenceOf(quoted?.rates ?? null, rate);
    const row = { order, hindered: hindrance(order), labelled, quoted, rate, labels, differs, problem };
    this.#known.set(id, { of, row });
    return row;
  }

  isPrinted(order: Order): boolean {
    return this.#printed.value.has(order.id) || order.printed.label_at !== null;
  }

  /** Reads the orders and asks for rates. */
  async open(): Promise<void> {
    await this.#read(this.ids.peek());
    await Promise.all([this.#readLabels().then(() => void this.#watch()), this.askRates()]);
  }

  close(): void {
    this.#closed = true;
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

  /**
   * Changes the weight of each parcel. Its old rates cannot be bought any more. Asks for new ones once the user has
   * stopped typing.
   */
  weigh(name: string, value: string): void {
    this.box.value = { ...this.box.peek(), [name]: value };
    this.#asking.abort();
    const open = this.rows.peek().filter(isOpen);
    const quotes = new Map(this.#quotes.peek());
    for (const { order } of open) quotes.delete(order.id);
    this.#quotes.value = quotes;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => void this.askRates(), typing_ms);
  }

  /** The weight that the user has entered, as the fields of a request; nothing for that of the products. */
  #weight() {
    const { weight = "", weight_unit } = this.box.peek();
    return Number(weight) > 0 ? { weight: Number(weight), weight_unit } : {};
  }

  async #read(ids: readonly string[]): Promise<void> {
    const found = await readOrders(ids);
    this.unread.value += ids.length - found.size;
    this.#orders.value = new Map([...this.#orders.peek(), ...found]);
  }

  /** Reads the labels of the orders that have parcels. */
  async #readLabels(): Promise<void> {
    const ids = this.rows.peek().flatMap(({ order }) => (hasParcels(order) ? order.id : []));
    for (let at = 0; at < ids.length; at += listed_max) {
      const order_id = ids.slice(at, at + listed_max).join(",");
      const params = { order_id, status: "processing,completed", limit: 100 };
      const { data } = await get<readonly LabelRecord[]>("/shipping/labels", { params });
      const outward = data.filter(({ return_id }) => return_id === null).reverse();
      this.#labels.value = new Map([...this.#labels.peek(), ...Map.groupBy(outward, (label) => label.order_id)]);
    }
  }

  /** Asks for the rates of all orders that need a label, or of these. */
  async askRates(rows: readonly BatchRow[] = this.rows.peek().filter(isOpen)): Promise<void> {
    this.#asking.abort();
    this.#asking = new AbortController();
    const { signal: aborted } = this.#asking;
    const weight = this.#weight();
    await forEachOf(rows, async ({ order }) => {
      if (aborted.aborted) return;
      const body = { order_id: order.id, items: reservedItems(looseLines(order)), ...weight };
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

  /**
   * Buys the labels at the shown prices. What fails stays, with its reason; what is bought stays bought. The server
   * weighs the parcels again: a label is refused if its rate was for another weight.
   */
  async buy(rows: readonly BatchRow[] = this.buyable.peek()): Promise<void> {
    if (!(await agreeToSamples(rows.flatMap(({ rate }) => rate ?? [])))) return;
    this.#begin("buy", rows.length);
    const weight = this.#weight();
    await forEachOf(rows, async ({ order: { id }, rate }) => {
      const input = { quotes: { [id]: rate?.quote_id }, ...("weight" in weight ? { package: weight } : {}) };
      await post<BulkActionResult>("/orders/actions", { action: "buy_label", order_ids: [id], input }).then(
        ({ data: { results } }) => {
          const [{ label, status, error } = { status: 0 }] = results;
          if (label === undefined) this.#refuse(id, new ApiProblem(status, { error }));
          else this.#record(label);
        },
        (error) => this.#refuse(id, problemOf(error)),
      );
      this.#count(1);
    });
    await this.#read(rows.map(({ order }) => order.id));
    this.#end();
    void this.#watch();
  }

  /** Keeps a label, or the reason why the carrier did not sell it. */
  #record(label: LabelRecord): void {
    const { order_id, label_id, status, error } = label;
    const others = (this.#labels.peek().get(order_id) ?? []).filter((one) => one.label_id !== label_id);
    const bought = status === "processing" || status === "completed" ? [...others, label] : others;
    this.#labels.value = new Map(this.#labels.peek()).set(order_id, bought);
    this.#refuse(order_id, status === "error" ? new ApiProblem(502, { error }) : null);
  }

  /** Asks for labels that a slow carrier has not sold yet, until it has or has refused to. */
  async #watch(): Promise<void> {
    if (this.#watching) return;
    this.#watching = true;
    for (let left = this.waiting.peek(); left.length > 0 && !this.#closed; left = this.waiting.peek()) {
      await pause(watch_ms);
      await forEachOf(left, async ({ label_id }) => {
        const label = await get<LabelRecord>(`/shipping/labels/${label_id}`).catch(() => null);
        if (label === null || label.data.status === "processing") return;
        this.#record(label.data);
        await this.#read([label.data.order_id]);
      });
    }
    this.#watching = false;
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

/** The rate at which a label was bought. */
const rateOfLabel = (rates: readonly LabelRate[], label: LabelRecord) =>
  rates.find(({ carrier, service }) => carrier === label.carrier && service === label.service) ?? null;

/** What the rules pick, unless it is this rate. */
function differenceOf(quoted: LabelRates | null, rate: LabelRate | null): RuleDifference | null {
  const choice = quoted?.rule_choice ?? null;
  if (quoted === null || choice === null) return null;
  const ruled = quoted.rates.find(({ quote_id }) => quote_id === choice.quote_id) ?? null;
  if (ruled !== null && rate !== null && rateKey(ruled) === rateKey(rate)) return null;
  return { rate: ruled, reason: choice.reason };
}

/** Whether an order still needs a label, and can get one. */
export const isOpen = ({ hindered, order }: BatchRow) => hindered === null && looseLines(order).length > 0;
const isBuyable = (row: BatchRow) => isOpen(row) && row.rate !== null;

/** The rate that the user chose, else the one that the order's rules or its shipping method name. */
function rateFor(order: Order, rates: readonly LabelRate[], key: string): LabelRate | null {
  if (key === cheapest) return rates[0] ?? null;
  if (key !== "") return rates.find((rate) => rateKey(rate) === key) ?? null;
  return rates.find(({ chosen }) => chosen) ?? rateOfMethod(rates, order.shipping_method);
}
