import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { print_jobs } from "../../../db/schema/floor.ts";
import { day_ms, minute_ms, second_ms } from "../../../src/core/time.ts";
import { deleteOldPrintJobs, printDue, printsSettled } from "../../../src/floor/printing/print_jobs.jobs.ts";
import { getStation } from "../../../src/floor/printing/printers.sql.ts";
import { queuePrintJobs } from "../../../src/floor/printing/queue_print_jobs.ts";
import { markRestored } from "../../../src/operations/backups/settle_restore.ts";
import { getOrder } from "../../../src/orders/orders.sql.ts";
import { openApp } from "../../build/service.ts";
import { openPrintShop, pngLabel, readPages } from "../../shipping/printing/print_shop.ts";
import { receiver_certificate, receiver_key } from "../../webhooks/certificates.ts";
import { openIppPrinter, openLabelPrinter } from "./fake_printers.ts";

// The first document opens fonts, which takes time under load.
setDefaultTimeout(60_000);

const app = await openApp();
let carrier_answers: Promise<void> = Promise.resolve();
const shop = await openPrintShop(app, {
  pixel: async (number) => {
    await carrier_answers;
    return [await pngLabel(number)];
  },
});
const labels = await openLabelPrinter();
const office = openIppPrinter();
const [zebra, laser] = await Promise.all([
  app.create("/printers", { name: "Zebra", kind: "zpl_tcp", ...labels.place }),
  app.create("/printers", { name: "Laser", kind: "ipp", ...office.place, media: "a4" }),
]);
const station = await app.create("/stations", {
  name: "Table 1",
  label_printer_id: zebra.id,
  document_printer_id: laser.id,
});

const job = (id: string) => app.read(`/print_jobs/${id}`);
const clock = app.clocks.live;

async function later(ms: number) {
  clock.advance(ms);
  await app.runJobs();
}

const zplOf = async (label_id: string) => {
  const { body } = await app.get(`/shipping/labels/${label_id}/document?format=zpl`);
  return body as string;
};

describe("a label", () => {
  test("is sent as the ZPL that the API returns, and counts as printed", async () => {
    const order = await shop.labeled("local");
    const { id } = await app.create("/print_jobs", { station_id: station.id, kind: "label", order_id: order.id });
    await app.runJobs();
    expect(labels.documents.at(-1)?.toString()).toBe(await zplOf(order.label_id));
    expect(await job(id)).toMatchObject({ status: "sent", attempts: 1, error: null, label_id: order.label_id });
    const label = await app.read(`/shipping/labels/${order.label_id}`);
    expect(label).toMatchObject({ print_count: 1 });
    const { data: history } = (await app.get(`/orders/${order.id}/history`)).body;
    expect(history.filter(({ event }: { event: string }) => event === "print")).toHaveLength(1);

    const again = await app.create(`/print_jobs/${id}/reprint`);
    await app.runJobs();
    expect(await job(again.id)).toMatchObject({ status: "sent", reprint_of: id });
    expect(labels.documents.at(-1)?.toString()).toBe(await zplOf(order.label_id));
    expect((await app.read(`/shipping/labels/${order.label_id}`)).print_count).toBe(2);
  });

  test("has as many dots as the printer", async () => {
    const order = await shop.labeled("local");
    const sizes = [];
    for (const dpi of [203, 300, 600]) {
      await app.must("PATCH", `/printers/${zebra.id}`, { dpi });
      await app.create("/print_jobs", { printer_id: zebra.id, kind: "label", label_id: order.label_id });
      await app.runJobs();
      sizes.push(/\^PW(\d+)\n\^LL(\d+)/.exec(labels.documents.at(-1)?.toString() ?? "")?.slice(1));
    }
    await app.must("PATCH", `/printers/${zebra.id}`, { dpi: 203 });
    expect(sizes).toEqual([
      ["812", "1218"],
      ["1200", "1800"],
      ["2400", "3600"],
    ]);
  });

  test("that its carrier made as an image is sent as a graphic, and as a PDF to an IPP printer", async () => {
    const order = await shop.labeled("pixel");
    await app.create("/print_jobs", { printer_id: zebra.id, kind: "label", label_id: order.label_id });
    await app.create("/print_jobs", { printer_id: laser.id, kind: "label", label_id: order.label_id });
    await app.runJobs();
    const zpl = labels.documents.at(-1)?.toString() ?? "";
    const [, total = "", a_row = "", data = ""] = /\^FO0,0\^GFA,(\d+),\d+,(\d+),([0-9A-F,]*)\^FS/.exec(zpl) ?? [];
    expect([Number(a_row), Number(total) / Number(a_row)]).toEqual([102, 1218]);
    // About as much black as on a label, and not all of it.
    const dots = [...data.replaceAll(",", "")].reduce(
      (sum, digit) => sum + Number.parseInt(digit, 16).toString(2).replaceAll("0", "").length,
      0,
    );
    expect(dots / (816 * 1218)).toBeGreaterThan(0.05);
    expect(dots / (816 * 1218)).toBeLessThan(0.5);
    const document = office.printed.at(-1)?.document ?? Buffer.alloc(0);
    expect((await readPages(document)).map(({ pixels }) => pixels !== null)).toEqual([true]);
  });

  test("that its carrier made as a PDF cannot be sent to a label printer, with what to do", async () => {
    const order = await shop.labeled("swift");
    const { id } = await app.create("/print_jobs", { printer_id: zebra.id, kind: "label", label_id: order.label_id });
    await app.runJobs();
    expect((await job(id)).error).toMatchObject({ code: "no_document" });
    expect((await job(id)).error.message).toContain("Print it on an IPP printer");
    expect((await app.get(`/print_jobs/${id}/document`)).headers.get("content-type")).toBe("application/pdf");
  });

  test("that was voided is not printed", async () => {
    const order = await shop.labeled("local");
    const { id } = await app.create("/print_jobs", { printer_id: zebra.id, kind: "label", label_id: order.label_id });
    await app.create(`/shipping/labels/${order.label_id}/void`);
    await app.runJobs();
    expect(await job(id)).toMatchObject({ status: "failed", attempts: 0, error: { code: "label_voided" } });
  });
});

test("a packing slip goes to the document printer as a PDF on its paper, and a reprint says so", async () => {
  const order = await shop.labeled("local");
  const body = { station_id: station.id, kind: "packing_slip", label_id: order.label_id };
  const { id } = await app.create("/print_jobs", body);
  await app.runJobs();
  const first = office.printed.at(-1);
  expect(first?.attributes).toMatchObject({
    "document-format": ["application/pdf"],
    "job-name": [id],
    media: ["iso_a4_210x297mm"],
    "printer-uri": [`ipp://127.0.0.1:${office.place.port}/ipp/print`],
  });
  const [page] = await readPages(first?.document ?? Buffer.alloc(0));
  expect(page?.text).toContain(order.order_number);
  expect(page?.text).not.toContain("REPRINT");
  await app.create(`/print_jobs/${id}/reprint`);
  await app.runJobs();
  const [again] = await readPages(office.printed.at(-1)?.document ?? Buffer.alloc(0));
  expect(again?.text).toContain("REPRINT 1");
});

test("a printer that only accepts TLS gets its documents over TLS, and each of them once", async () => {
  // Its certificate is for another name, and nobody here knows its authority.
  const guarded = openIppPrinter({ key: receiver_key, cert: receiver_certificate });
  const { id: printer_id } = await app.create("/printers", { name: "Vault", kind: "ipp", ...guarded.place });
  const order = await shop.labeled("local");
  const print = async () => {
    const { id } = await app.create("/print_jobs", { printer_id, kind: "label", label_id: order.label_id });
    await app.runJobs();
    return job(id);
  };
  expect(await print()).toMatchObject({ status: "sent", attempts: 1, error: null });
  const [first] = guarded.printed;
  expect(first?.attributes["printer-uri"]).toEqual([`ipps://127.0.0.1:${guarded.place.port}/ipp/print`]);
  expect(await readPages(first?.document ?? Buffer.alloc(0))).toHaveLength(1);
  guarded.become({ status: 0x040a });
  expect(await print()).toMatchObject({ status: "failed", attempts: 1, error: { code: "printer_refused" } });
  guarded.become({ drops: true });
  expect(await print()).toMatchObject({ status: "failed", attempts: 1, error: { code: "outcome_unknown" } });
  await later(minute_ms);
  expect(guarded.printed).toHaveLength(3);
});

test("test pages name the printer and its paper", async () => {
  await app.create(`/printers/${zebra.id}/test`);
  await app.create(`/printers/${laser.id}/test`);
  await app.runJobs();
  const zpl = labels.documents.at(-1)?.toString() ?? "";
  for (const words of ["Zebra", "4x6, 203 dpi", "2026-01-0"]) expect(zpl).toContain(words);
  const [page] = await readPages(office.printed.at(-1)?.document ?? Buffer.alloc(0));
  for (const words of ["Laser", "a4"]) expect(page?.text).toContain(words);
});

describe("a printer that is off", () => {
  test("is tried three times, then the document is on the screen; what follows is printed", async () => {
    const order = await shop.labeled("local");
    await labels.turnOff();
    const { id } = await app.create("/print_jobs", { printer_id: zebra.id, kind: "label", label_id: order.label_id });
    const seen = [];
    for (const wait_ms of [0, 5 * second_ms, 30 * second_ms, minute_ms]) {
      await later(wait_ms);
      const { status, attempts, error } = await job(id);
      seen.push([status, attempts, error.code]);
    }
    await labels.turnOn();
    expect(seen).toEqual([
      ["queued", 1, "printer_unreachable"],
      ["queued", 2, "printer_unreachable"],
      ["failed", 3, "printer_unreachable"],
      ["failed", 3, "printer_unreachable"],
    ]);
    const { headers, status } = await app.get(`/print_jobs/${id}/document`);
    expect([status, headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect((await app.read(`/shipping/labels/${order.label_id}`)).print_count).toBe(0);
    const again = await app.create(`/print_jobs/${id}/reprint`);
    await app.runJobs();
    expect((await job(again.id)).status).toBe("sent");
  });

  test("delays no other printer, and a queued job can be cancelled", async () => {
    const order = await shop.labeled("local");
    await labels.turnOff();
    const dead = await app.create("/print_jobs", { printer_id: zebra.id, kind: "label", label_id: order.label_id });
    const slip = await app.create("/print_jobs", { printer_id: laser.id, kind: "packing_slip", order_id: order.id });
    await app.runJobs();
    expect((await job(slip.id)).status).toBe("sent");
    expect((await app.create(`/print_jobs/${dead.id}/cancel`)).status).toBe("cancelled");
    await labels.turnOn();
    const count = labels.documents.length;
    await later(minute_ms);
    expect(labels.documents).toHaveLength(count);
    const { body } = await app.post(`/print_jobs/${dead.id}/cancel`);
    expect(body.error.code).toBe("invalid_state_transition");
  });
});

test("a connection that is lost while the document is sent is not tried again", async () => {
  const order = await shop.labeled("local");
  const connections = labels.connections();
  labels.become("drops");
  const { id } = await app.create("/print_jobs", { printer_id: zebra.id, kind: "label", label_id: order.label_id });
  await app.runJobs();
  labels.become("prints");
  await later(5 * minute_ms);
  expect(await job(id)).toMatchObject({ status: "failed", attempts: 1, error: { code: "outcome_unknown" } });
  expect(labels.connections() - connections).toBe(1);
  const other = await app.create("/print_jobs", { printer_id: laser.id, kind: "packing_slip", order_id: order.id });
  const printed = office.printed.length;
  office.become({ status: 0x0507 });
  await app.runJobs();
  expect(await job(other.id)).toMatchObject({ status: "queued", attempts: 1, error: { code: "printer_refused" } });
  expect((await job(other.id)).error.message).toContain("no paper today");
  office.become({ status: 0x040a });
  await later(minute_ms);
  expect(await job(other.id)).toMatchObject({ status: "failed", attempts: 2, error: { code: "printer_refused" } });
  expect(office.printed).toHaveLength(printed + 2);
  office.become({ formats: ["image/urf"] });
  const raster = await app.create(`/print_jobs/${other.id}/reprint`);
  await app.runJobs();
  expect((await job(raster.id)).error.message).toContain("image/urf");
  office.become({});
});

test("a printer that reads slowly, or keeps the connection open, prints once", async () => {
  const order = await shop.labeled("local");
  for (const mood of ["reads_late", "keeps_open"] as const) {
    labels.become(mood);
    const count = labels.documents.length;
    const { id } = await app.create("/print_jobs", { printer_id: zebra.id, kind: "label", label_id: order.label_id });
    await app.runJobs();
    await later(minute_ms);
    expect((await job(id)).status).toBe("sent");
    expect(labels.documents).toHaveLength(count + 1);
  }
  labels.become("prints");
});

test("a job whose server ended while it sent fails as uncertain, and is not sent again", async () => {
  const order = await shop.labeled("local");
  const { id } = await app.create("/print_jobs", { printer_id: zebra.id, kind: "label", label_id: order.label_id });
  const count = labels.documents.length;
  const [, digits] = id.split("_");
  await app.service.stores.live.write(async (tx) => {
    const due_at = tx.now + minute_ms;
    const set = { status: "sending" as const, attempts: 1, due_at };
    await tx.sql
      .update(print_jobs)
      .set(set)
      .where(eq(print_jobs.id, Number(digits)));
  });
  await later(second_ms);
  expect((await job(id)).status).toBe("sending");
  await later(minute_ms);
  expect(await job(id)).toMatchObject({ status: "failed", attempts: 1, error: { code: "outcome_unknown" } });
  expect(labels.documents).toHaveLength(count);
});

test("a label that is still being bought is awaited for ten minutes", async () => {
  const store = app.service.stores.live;
  const send = async (wait_ms: number) => {
    clock.advance(wait_ms);
    // One job of a printer at a time.
    for (let round = 0; round < 3; round += 1) {
      await printDue(store, app.service);
      await printsSettled(store);
    }
  };
  const opened = Promise.withResolvers<void>();
  carrier_answers = opened.promise;
  const [first, second] = [await shop.order(), await shop.order()];
  const buying = [first, second].map(({ id }) => shop.label(id, { carrier: "pixel", service: "ground" }));
  const jobs: string[] = [];
  while (jobs.length < 2) {
    await Bun.sleep(10);
    const waiting = await app.read("/shipping/labels?status=processing");
    if (waiting.length < 2) continue;
    for (const { id: order_id } of [first, second]) {
      const { id } = await app.create("/print_jobs", { printer_id: laser.id, kind: "label", order_id });
      jobs.push(id);
      await send(0);
    }
  }
  const [late = "", early = ""] = jobs;
  await app.create(`/print_jobs/${early}/cancel`);
  expect(await job(late)).toMatchObject({ status: "queued", attempts: 0, error: { code: "label_processing" } });
  expect((await app.get(`/print_jobs/${late}/document`)).body.error.code).toBe("label_in_progress");
  // A quarter of its age, in whole milliseconds.
  await send(9 * second_ms + 3);
  const due = await store.read((db) => db.sql.select({ at: print_jobs.due_at }).from(print_jobs));
  expect(due.flatMap(({ at }) => at ?? [])).toEqual([clock.now() + 2250]);
  await send(9 * minute_ms);
  expect((await job(late)).status).toBe("queued");
  const again = await app.create(`/print_jobs/${early}/reprint`);
  await send(2 * minute_ms);
  expect(await job(late)).toMatchObject({ status: "failed", attempts: 0, error: { code: "label_processing" } });
  opened.resolve();
  await Promise.all(buying);
  await later(minute_ms);
  expect((await job(again.id)).status).toBe("sent");
});

test("a station prints the label and the slip of a packed parcel", async () => {
  const { id, order_number } = await shop.order();
  const order = await app.service.stores.live.read((db) => getOrder(db, id));
  const { body } = await shop.label(id);
  const label_id = Number(body.data.label_id.split("_")[1]);
  const queued = await app.service.stores.live.write(async (tx) =>
    queuePrintJobs(tx, {
      station: await getStation(tx, station.id),
      order,
      shipment_id: Number(body.data.shipment_id.split("_")[1]),
      label_id,
      actor: { type: "user", id: "usr_1", name: "Pat", request_id: null },
    }),
  );
  expect(queued.map(({ kind, printer_id }) => [kind, `prn_${printer_id}`])).toEqual([
    ["label", zebra.id],
    ["packing_slip", laser.id],
  ]);
  await app.runJobs();
  expect(labels.documents.at(-1)?.toString()).toBe(await zplOf(body.data.label_id));
  const [page] = await readPages(office.printed.at(-1)?.document ?? Buffer.alloc(0));
  expect(page?.text).toContain(order_number);
});

test("jobs of a restored backup are not printed, and finished jobs are deleted after 30 days", async () => {
  const order = await shop.labeled("local");
  const { id } = await app.create("/print_jobs", { printer_id: zebra.id, kind: "label", label_id: order.label_id });
  const count = labels.documents.length;
  await markRestored(app.service.stores.live, { archive: "backup", as_of: clock.now(), nth: 1 });
  await later(minute_ms);
  expect(await job(id)).toMatchObject({ status: "failed", error: { code: "dropped_after_restore" } });
  expect(labels.documents).toHaveLength(count);
  clock.advance(31 * day_ms);
  await deleteOldPrintJobs(app.service.stores.live, app.service);
  expect(await app.read("/print_jobs")).toEqual([]);
});
