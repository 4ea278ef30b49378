// Servers that are killed after a parcel is packed and before its label is bought and printed.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { letClaimsExpire, type Moment, openCarrier, startBuyer, stock } from "../../scripts/faults/purchases/main.ts";
import { openLabelPrinter } from "../floor/printing/fake_printers.ts";
import { isLong } from "../volume.ts";
import { client, freshDatabase } from "./service.ts";

const carrier = openCarrier();
const data = mkdtempSync(join(tmpdir(), "packhouse-packing-"));
const shop = { carrier, data, database_url: await freshDatabase(), ahead_ms: 0 };
let service = await startBuyer(shop);
afterAll(async () => {
  await service.stop();
  await carrier.stop();
  rmSync(data, { recursive: true, force: true });
});

const printer = await openLabelPrinter();
const key = await service.makeKey("test");
const buyer = await stock(service, key);
const zebra = await client(service.url, key).must("POST", "/printers", {
  name: "Zebra",
  kind: "zpl_tcp",
  ...printer.place,
});
const table = await client(service.url, key).must("POST", "/stations", {
  name: "Table 1",
  label_printer_id: zebra.data.id,
});

const place = { station_id: table.data.id, device: "table-1" };
const ground = { shipping_choice: { carrier: "counted", service: "ground" } };
/** When the server is killed: before the purchase is stored, and while the carrier is paid. */
const kills: readonly { readonly at: Moment; readonly choice: object }[] = [
  { at: "claimed", choice: {} },
  ...(isLong ? (["claimed", "paying", "paid"] as const).map((at) => ({ at, choice: ground })) : []),
];

test.each(kills)(
  "a server that is killed at $at after packing ends with one label and one print",
  async (kill) => {
    const { at, choice } = kill;
    const before = { sold: carrier.books.size, printed: printer.documents.length };
    const line_items = [{ sku: "CUP", quantity: 1, unit_price: "2.00" }];
    const first = client(service.url, key);
    const order_number = `P-${kills.indexOf(kill)}`;
    const order = (await first.must("POST", "/orders", { ...buyer, order_number, line_items, ...choice })).data;
    const session = (await first.must("POST", "/packing_sessions", { ...place, order_id: order.id })).data;
    await first.must("PATCH", `/packing_sessions/${session.id}`, { weight: 1, weight_unit: "lb" });
    const dead = Promise.withResolvers<void>();
    carrier.killAt(at, async () => {
      await service.kill();
      dead.resolve();
    });
    const scan = (api: typeof first) =>
      api.send("POST", `/packing_sessions/${session.id}/scans`, { sku: "CUP" }, { "idempotency-key": order_number });
    expect(await scan(first).catch(() => null)).toBeNull();
    await dead.promise;

    await letClaimsExpire(shop);
    service = await startBuyer(shop);
    const api = client(service.url, key);
    const repeated = await scan(api);
    expect(repeated.body.data).toMatchObject({ status: "closed", units_scanned: 1 });
    const read = async (path: string) => (await api.must("GET", path)).data;
    const jobsOf = () => read(`/print_jobs?order_id=${order.id}`);
    while ((await jobsOf()).every(({ status }: { status: string }) => status !== "sent")) await Bun.sleep(50);
    const packed = await read(`/packing_sessions/${session.id}`);
    expect(packed).toMatchObject({ label_status: "completed", label_error: null });
    expect((await scan(api)).body).toEqual(repeated.body);

    const labels = await read(`/shipping/labels?order_id=${order.id}`);
    expect(labels).toMatchObject([{ status: "completed", label_id: packed.label.label_id }]);
    expect((await read(`/orders/${order.id}`)).shipments).toHaveLength(1);
    expect(await jobsOf()).toMatchObject([{ kind: "label", status: "sent", attempts: 1 }]);
    expect(printer.documents).toHaveLength(before.printed + 1);
    const sold = [...carrier.books.values()].slice(before.sold);
    expect(sold).toEqual([{ paid: 1, number: packed.label.tracking_number }]);
    expect((await service.verify()).output).toBe("live: 0 differences\ntest: 0 differences\n");
  },
  120_000,
);
