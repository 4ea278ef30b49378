// What one merchant has, another never sees, names or changes: by any operation of the document, in any place of a
// request, in any list, total, export, event, delivery or hint. A new operation is checked as soon as it is described.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { traceOf } from "../../src/http/trace.ts";
import { type Checked, check, checkedOf, compareLooks, looksOf, published } from "./check.ts";
import { type Code, type Fixture, type Owned, openFixture, type Told } from "./fixture.ts";
import { namedMetrics, planted, repeatedAnswers, wrongDeliveries } from "./leaks.ts";
import { placesOf } from "./places.ts";
import { allRows, changesOf } from "./rows.ts";
import { strangers } from "./words.ts";

let fixture: Fixture;
let operations: readonly Checked[];
beforeAll(async () => {
  fixture = await openFixture(async (ask, own, app) => {
    operations = await checkedOf(app);
    const told = new Map<string, Told>();
    for (const look of looksOf(operations, own)) told.set(look.path, await ask(look));
    return told;
  });
}, 120_000);
afterAll(() => fixture.close());

test("merchants have much under equal names, and much that only they have", () => {
  const { ALFA, BETA, MAIN } = fixture.merchants;
  const of = (word: string) => [ALFA, BETA, MAIN].map(({ names }) => names.of(word));
  for (const [word, name] of [
    ["sku", "EQUAL-1"],
    ["order_number", "EQUAL-O1"],
    ["email", "equal@example.com"],
    ["tracking_number", "EQUAL-TRACK"],
    ["lot_number", "EQUAL-LOT"],
    ["value", "5012345678900"],
    ["reference", "EQUAL-PO"],
  ] as const) {
    for (const names of of(word)) expect(names).toContain(name);
  }
  expect(ALFA.names.all().difference(BETA.names.all()).size).toBeGreaterThan(300);
  const refused = [...fixture.before].filter(([, { status }]) => status !== 200);
  expect(refused.map(([path, { text }]) => `${path}: ${text.slice(0, 200)}`)).toEqual([]);
  expect(fixture.before.size).toBeGreaterThan(60);
});

describe("a merchant", () => {
  test("is answered as if what others have were nowhere, wherever it is named, and changes nothing of it", async () => {
    const { cases, leaks, silent } = await check(fixture, operations);
    console.log(`${cases} requests of one merchant about what others have, by ${operations.length} operations`);
    expect(leaks).toEqual([]);
    // A place whose own records are answered like unknown ones: give the merchants one, in test/isolation/more.ts.
    expect(silent).toEqual([]);
    for (const mode of ["live", "test"] as const) {
      const rows = await fixture.app.service.stores[mode].read(allRows);
      expect(changesOf(fixture.foreign[mode], rows)).toEqual([]);
    }
  }, 300_000);

  test("sees the same as before another one came, and the words of nobody else", async () => {
    const looks = looksOf(operations, fixture.merchants.BETA);
    expect(await compareLooks(fixture, looks)).toEqual([]);
    const scan = strangers(fixture);
    const others = [...fixture.before].filter(([path]) => !published.test(path));
    const foreign = others.flatMap(([path, { text }]) => scan(text, { path }).map((name) => [path, name]));
    expect(foreign).toEqual([]);
  }, 60_000);

  describe("would be found by a leak between the service and its store:", () => {
    const leaks = Object.entries(planted).filter(([, { leak }]) => leak !== undefined);
    test.each(leaks)(
      "%s",
      async (_, { leak = null, find }) => {
        expect(await find(fixture, operations)).toEqual([]);
        fixture.seam.leak = leak;
        try {
          expect(await find(fixture, operations)).not.toEqual([]);
        } finally {
          fixture.seam.leak = null;
        }
      },
      60_000,
    );
  });

  test("is sent its own events alone", async () => {
    expect(await wrongDeliveries(fixture)).toEqual([]);
  }, 60_000);

  test("gets no answer that was kept for another one", async () => {
    expect(await repeatedAnswers(fixture)).toEqual([]);
  }, 60_000);

  test("hears no hint of what others do", async () => {
    const { BETA, ALFA } = fixture.merchants;
    const [merchant, house] = [await listen(BETA.keys.live.full), await listen(fixture.app.keys.live.full)];
    const act = async (code: Code, owned: Owned) => {
      const key = owned.keys.live.full;
      const made = await fixture.ask({ method: "POST", path: "/products", body: { sku: "HINT", name: code }, key });
      const { id } = JSON.parse(made.text).data;
      // The house's own requests tell of a merchant's records, too.
      await witnessed("PATCH", `/products/${id}`, { name: `Hint of ${code}` });
      const order = { ...(owned.ready["createOrder"]?.body as object), order_number: "HINT" };
      const ordered = await fixture.ask({ method: "POST", path: "/orders", body: order, key });
      return [id as string, JSON.parse(ordered.text).data.id as string];
    };
    const others = await act("ALFA", ALFA);
    const own = await act("BETA", BETA);
    await fixture.app.runJobs();
    const heard = await merchant.until(own);
    for (const id of others) expect(heard).not.toContain(id);
    await house.until([...own, ...others]);
  }, 60_000);
});

test("metrics name nothing that a merchant has", async () => {
  expect(await namedMetrics(fixture)).toEqual([]);
});

describe("a leak that is planted in the records or meters is found:", () => {
  const others = Object.entries(planted).filter(([, { leak }]) => leak === undefined);
  test.each(others)(
    "%s",
    async (_, { plant, find }) => {
      await plant?.(fixture);
      expect(await find(fixture, operations)).not.toEqual([]);
    },
    60_000,
  );
});

test("a new place for a text has to say what it names", () => {
  const parameters = [{ name: "gadget", in: "query", schema: { type: "string" } }] as const;
  const operation = { operationId: "turnGadget", method: "get", path: "/gadgets", parameters, responses: {} };
  const document = { paths: {}, components: { schemas: {}, responses: {} } };
  expect(() => placesOf(operation, document)).toThrow(
    "turnGadget takes a text gadget: say in test/isolation/places.ts what it names, or that it names nothing.",
  );
});

/** Makes a request of the house, of which hints tell as of one that came by the port. */
async function witnessed(method: string, path: string, body: unknown): Promise<void> {
  const { app, service, keys } = fixture.app;
  const headers = { authorization: `Bearer ${keys.live.full}`, "content-type": "application/json" };
  const request = new Request(`http://packhouse.test/v1${path}`, { method, headers, body: JSON.stringify(body) });
  const { status } = await app.handle(request);
  expect(status).toBe(200);
  for (const witness of service.witnesses) witness(request, traceOf(request), status, 0);
}

/** Listens to the stream of hints. */
async function listen(key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const url = "http://packhouse.test/dashboard/api/events";
  const { body } = await fixture.app.app.handle(new Request(url, { headers }));
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  let heard = "";
  /** What was heard, once all of these are named. */
  const until = async (ids: readonly string[]): Promise<string> => {
    while (!ids.every((id) => heard.includes(id))) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`the stream ended: ${heard}`);
      heard += new TextDecoder().decode(value);
    }
    await reader.cancel();
    return heard;
  };
  return { until };
}
