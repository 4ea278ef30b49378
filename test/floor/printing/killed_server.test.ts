// Servers that are killed while a printer takes a document, and that share a database: nothing is printed twice.
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import type { StartedService } from "../../../scripts/service.ts";
import { engine } from "../../../src/core/config.ts";
import { client, freshDatabase } from "../../flows/service.ts";
import { startWatchedService } from "../../flows/watched_service.ts";
import { openLabelPrinter } from "./fake_printers.ts";

setDefaultTimeout(120_000);

const database_url = await freshDatabase();
const started: StartedService[] = [];
const start = async (data?: string) => {
  const service = await startWatchedService({ database_url, ...(data !== undefined && { data }) });
  started.push(service);
  return service;
};
afterAll(async () => {
  for (const service of started.reverse()) await service.remove();
});

const printer = await openLabelPrinter();

test("a document whose server is killed while it is sent is not sent again; the others are sent once", async () => {
  const first = await start();
  const api = client(first.url, first.first_keys.test);
  const { id } = (await api.must("POST", "/printers", { name: "Zebra", kind: "zpl_tcp", ...printer.place })).data;
  // The printer has the document, and the server waits for the end of the connection.
  printer.become("keeps_open");
  const uncertain = (await api.must("POST", `/printers/${id}/test`)).data;
  const next = (await api.must("POST", `/printers/${id}/test`)).data;
  while (printer.documents.length === 0) await Bun.sleep(5);
  await first.kill();
  printer.become("prints");
  const second = await start(first.data);
  const other = client(second.url, first.first_keys.test);
  const ended = async (job: string) => {
    for (;;) {
      const { data } = await other.must("GET", `/print_jobs/${job}`);
      if (data.status !== "queued" && data.status !== "sending") return data;
      await Bun.sleep(50);
    }
  };
  expect(await ended(uncertain.id)).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
  expect(await ended(next.id)).toMatchObject({ status: "sent", attempts: 1 });
  expect(printer.documents).toHaveLength(2);
  expect(printer.connections()).toBe(2);
});

test.if(engine === "postgres")("two servers send each document once, one at a time to a printer", async () => {
  const [service] = started.slice(-1);
  const another = await start();
  const apis = [service, another].map((one) => client(one?.url ?? "", started[0]?.first_keys.test ?? ""));
  const [printers] = [(await apis[0]?.must("GET", "/printers"))?.data ?? []];
  const before = printer.connections();
  const jobs = 20;
  for (let at = 0; at < jobs; at += 1) await apis[at % 2]?.must("POST", `/printers/${printers[0].id}/test`);
  for (;;) {
    const { data } = (await apis[0]?.must("GET", "/print_jobs?status=queued,sending")) ?? { data: [] };
    if (data.length === 0) break;
    await Bun.sleep(50);
  }
  expect(printer.connections() - before).toBe(jobs);
  expect(printer.most_at_once()).toBe(1);
});
