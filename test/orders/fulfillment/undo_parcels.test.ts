// Random steps of orders with parcels and labels, forward and back, against a plain model of one order: what is
// refused, the counters, the parcels, the actions, what is billed, and the events.
import { expect, test } from "bun:test";
import { and, eq, inArray, sum } from "drizzle-orm";
import { billable_events } from "../../../db/schema/billing.ts";
import { readId } from "../../../src/core/ids.ts";
import { seededRandom } from "../../../src/core/random.ts";
import { openShop } from "../../build/shop.ts";
import { seed, volume } from "../../volume.ts";

const shop = await openShop();
const orders = volume(12, 250);
const steps = 14;
const units_ordered = 5;
const why = { reason: "mistake" } as const;

interface ModelParcel {
  readonly id: string;
  quantity: number;
  status: "pending" | "shipped" | "voided";
  label_id: string | null;
}

type Result = "done" | "refused";

/** An order of one line, by the contract. `packed` and `picked` are units that have not shipped. */
class ModelOrder {
  status = "pending";
  open = units_ordered;
  picked = 0;
  packed = 0;
  shipped = 0;
  parcels: ModelParcel[] = [];
  billed = { picks: 0, packs: 0 };
  fulfilled = 0;

  get waiting(): ModelParcel[] {
    return this.parcels.filter(({ status }) => status === "pending");
  }
  get parcelled(): number {
    return this.waiting.reduce((sum, { quantity }) => sum + quantity, 0);
  }
  get unpacked(): boolean {
    return ["pending", "processing"].includes(this.status);
  }
  get undoable(): string[] {
    return [
      ...(this.status === "processing" && this.picked > this.packed ? ["unpick"] : []),
      ...(["processing", "fulfilled"].includes(this.status) && this.packed > 0 ? ["unpack"] : []),
    ];
  }

  pickTo(units: number): void {
    this.billed.picks += Math.max(0, units - this.picked);
    this.picked = Math.max(units, this.picked);
    if (this.status === "pending") this.status = "processing";
  }

  packTo(units: number): void {
    this.pickTo(units);
    if (units <= this.packed) return;
    this.billed.packs += units - this.packed;
    this.packed = units;
    if (this.packed < this.open) return;
    this.status = "fulfilled";
    this.fulfilled += 1;
  }

  pick(units: number): Result {
    if (!this.unpacked || units > this.open - this.picked) return "refused";
    this.pickTo(this.picked + units);
    return "done";
  }

  /** Packs everything, or units that become a parcel. */
  pack(units: number | null, id: string): Result {
    if (!this.unpacked) return "refused";
    if (units === null) this.packTo(this.open);
    else {
      if (units > Math.min(this.open - this.packed, this.open - this.parcelled)) return "refused";
      this.parcels.push({ id, quantity: units, status: "pending", label_id: null });
      this.packTo(this.packed + units);
    }
    return "done";
  }

  /** A label for everything that is in no parcel. */
  label(id: string, label_id: string): Result {
    const quantity = this.open - this.parcelled;
    if (!(this.unpacked || this.status === "fulfilled") || quantity === 0) return "refused";
    this.parcels.push({ id, quantity, status: "pending", label_id });
    return "done";
  }

  unpick(units: number): Result {
    if (!this.undoable.includes("unpick") || units > this.picked - this.packed) return "refused";
    this.picked -= units;
    this.billed.picks -= units;
    return "done";
  }

  unpack(units: number): Result {
    if (!this.undoable.includes("unpack") || units > this.packed) return "refused";
    let left = units - Math.max(0, this.packed - this.parcelled);
    const plain = this.waiting.filter(({ label_id }) => label_id === null).reverse();
    if (left > plain.reduce((sum, { quantity }) => sum + quantity, 0)) return "refused";
    for (const parcel of plain) {
      const lost = Math.max(0, Math.min(left, parcel.quantity));
      left -= lost;
      if (lost === parcel.quantity) parcel.status = "voided";
      else parcel.quantity -= lost;
    }
    this.#unpacked(units);
    return "done";
  }

  reopen(parcel: ModelParcel): Result {
    const units = Math.min(parcel.quantity, this.packed);
    if (parcel.status !== "pending" || parcel.label_id !== null || units === 0) return "refused";
    parcel.status = "voided";
    this.#unpacked(units);
    return "done";
  }

  #unpacked(units: number): void {
    this.packed -= units;
    this.billed.packs -= units;
    this.status = "processing";
  }

  ship(parcel: ModelParcel): Result {
    if (parcel.status !== "pending") return "refused";
    this.packTo(parcel.quantity);
    for (const counter of ["open", "picked", "packed"] as const) this[counter] -= parcel.quantity;
    this.shipped += parcel.quantity;
    parcel.status = "shipped";
    if (this.open === 0) this.status = "shipped";
    else this.status = this.packed === this.open ? "fulfilled" : "processing";
    return "done";
  }
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

/** What an order shows of itself, as the model does. */
async function shown(id: string) {
  const { status, line_items, shipments, allowed_actions } = await shop.get(id);
  const [line] = line_items;
  return {
    status,
    picked: line.quantity_picked - line.quantity_shipped,
    packed: line.quantity_packed - line.quantity_shipped,
    shipped: line.quantity_shipped,
    parcels: shipments.map((parcel: { id: string; status: string; items: { quantity: number }[] }) => [
      parcel.id,
      parcel.status,
      // What a voided parcel held is of no use any more.
      parcel.status === "voided" ? null : parcel.items[0]?.quantity,
    ]),
    undoable: allowed_actions.filter((action: string) => /^unp/.test(action)),
  };
}

const modelShown = (model: ModelOrder) => ({
  status: model.status,
  picked: model.picked,
  packed: model.packed,
  shipped: model.shipped,
  parcels: model.parcels.map(({ id, status, quantity }) => [id, status, status === "voided" ? null : quantity]),
  undoable: model.undoable,
});

const random = seededRandom(seed);
// Two equal labels within minutes would be taken for a mistake.
let labels = 0;

/** Takes a random step, and returns its name, the answer, and what the model says to it. */
async function step(model: ModelOrder, id: string, sku: string): Promise<[string, Answer, Result]> {
  const post = (path: string, body: object = {}): Promise<Answer> => shop.app.post(`/orders/${id}/${path}`, body);
  const quantity = random.integer(1, 3);
  const items = [{ sku, quantity }];
  const parcel = model.parcels.length === 0 ? undefined : random.pick(model.parcels);
  const newest = async () => (await shop.get(id)).shipments.at(-1)?.id ?? "";
  const name = random.pick([
    "pick",
    "pack",
    "pack all",
    "label",
    "void",
    "unpick",
    "unpack",
    "unpack all",
    "reopen",
    "ship",
  ]);
  if (name === "pick") return [name, await post("pick", { items }), model.pick(quantity)];
  if (name === "pack") {
    const answer = await post("pack", { packages: [{ items }] });
    return [name, answer, model.pack(quantity, await newest())];
  }
  if (name === "label") {
    const fields = { order_id: id, carrier: "local", service: "standard" };
    const answer = await shop.app.post("/shipping/labels", {
      ...fields,
      package: { weight: ++labels, weight_unit: "oz" },
    });
    return [name, answer, model.label(await newest(), answer.body.data?.label_id)];
  }
  if (name === "unpick") return [name, await post("unpick", { ...why, items }), model.unpick(quantity)];
  if (name === "unpack") return [name, await post("unpack", { ...why, items }), model.unpack(quantity)];
  if (name === "unpack all") return [name, await post("unpack", why), model.unpack(model.packed)];
  if (name === "pack all" || parcel === undefined) return ["pack all", await post("pack"), model.pack(null, "")];
  if (name === "reopen") return [name, await post(`shipments/${parcel.id}/reopen`, why), model.reopen(parcel)];
  if (name === "ship") return [name, await post("ship", { shipment_id: parcel.id }), model.ship(parcel)];
  const labelled = model.waiting.find(({ label_id }) => label_id !== null);
  if (labelled === undefined) return ["void", { status: 409, body: {} }, "refused"];
  labelled.status = "voided";
  return ["void", await shop.app.post(`/shipping/labels/${labelled.label_id}/void`), "done"];
}

test(`${orders} orders of seed ${seed} go forward and back as the model says`, async () => {
  console.log(`SEED=${seed}`);
  const { sku } = await shop.product({ units: orders * units_ordered });
  const models = new Map<string, ModelOrder>();
  const done = new Map<string, number>();
  for (let number = 0; number < orders; number += 1) {
    const { id } = await shop.order([[sku, units_ordered]]);
    const model = new ModelOrder();
    models.set(id, model);
    const taken: string[] = [];
    for (let count = 0; count < steps; count += 1) {
      const [name, { status }, expected] = await step(model, id, sku);
      taken.push(`${name} ${status}`);
      expect([taken, status < 300 ? "done" : "refused"]).toEqual([taken, expected]);
      expect([taken, await shown(id)]).toEqual([taken, modelShown(model)]);
      done.set(`${name}: ${expected}`, (done.get(`${name}: ${expected}`) ?? 0) + 1);
    }
  }
  console.log(
    [...done]
      .sort()
      .map(([name, count]) => `${name} × ${count}`)
      .join("\n"),
  );
  const events = (await shop.app.takeEvents()).filter(({ type }) => type === "order.fulfilled");
  for (const [id, { fulfilled, billed }] of models) {
    expect([id, events.filter(({ data }) => data["id"] === id).length]).toEqual([id, fulfilled]);
    expect([id, await billedFor(id)]).toEqual([id, billed]);
  }
  await shop.expectVerified();
}, 300_000);

/** The units that picks and packs of an order are billed for, less those that were reversed. */
async function billedFor(id: string) {
  const { act, quantity, source_id } = billable_events;
  const rows = await shop.app.service.stores.live.read((db) =>
    db.sql
      .select({ act, units: sum(quantity).mapWith(Number) })
      .from(billable_events)
      .where(and(eq(source_id, readId("order", id) ?? 0), inArray(act, ["order.pick", "order.pack"])))
      .groupBy(act),
  );
  const units = (name: string) => rows.find((row) => row.act === name)?.units ?? 0;
  return { picks: units("order.pick"), packs: units("order.pack") };
}
