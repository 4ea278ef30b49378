// What finds a person in texts, and what is left of a text in which a person was found.
import { describe, expect, test } from "bun:test";
import { mentions, redactedJson, redactedPath, redactedQuery, termsOf } from "../../src/privacy/redaction.ts";

const nobody: ReadonlySet<string> = new Set();
const ann = { ids: nobody, terms: ["ann@gmail.com"] };
const said = (text: string) => JSON.stringify({ note: text });
const left = (text: string, terms: readonly string[]) =>
  JSON.parse(redactedJson(said(text), { ids: nobody, terms })).note;

describe("terms are found where they stand by themselves", () => {
  test.each([
    "ann@gmail.com",
    "ANN@Gmail.com",
    "write to ann@gmail.com.",
    "<ann@gmail.com>",
    "mailto:ann@gmail.com?subject=tea",
    "two lines\nann@gmail.com\tand more",
    "'ann@gmail.com'",
    "see …ann@gmail.com, or ring",
  ])("an e-mail address is found in %j", (text) => {
    expect(mentions(said(text), ann)).toBe(true);
    expect(left(text, ann.terms)).not.toMatch(/ann@/i);
  });

  test.each([
    "joann@gmail.com",
    "jo.ann@gmail.com",
    "jo-ann@gmail.com",
    "o'ann@gmail.com",
    "shop+ann@gmail.com",
    "éann@gmail.com",
    "ann@gmail.com.br",
    "ann@gmail.community",
    "ann@gmail.com-pany.example",
    "ann@gmail.co",
  ])("it is not found in %j, which is somebody else's", (text) => {
    expect(mentions(said(text), ann)).toBe(false);
    expect(left(text, [...ann.terms, "no such term"])).toBe(text);
  });

  test("other terms are found between letters and digits", () => {
    expect(left("to 9 Elm St, 9 Elm Street and 19 Elm St", ["9 Elm St"])).toBe("to Erased, 9 Elm Street and 19 Elm St");
    expect(left("call +1 503 555 0142 or +1 503 555 01429", ["+1 503 555 0142"])).toBe(
      "call Erased or +1 503 555 01429",
    );
    expect(left("for ÅSA ÖBERG's door", ["Åsa Öberg"])).toBe("for Erased's door");
  });

  test("a term with signs that JSON writes otherwise is found", () => {
    const quoted = { ids: nobody, terms: ['a"n\\n@gmail.com'] };
    expect(mentions(said('to a"n\\n@gmail.com'), quoted)).toBe(true);
    expect(left('to a"n\\n@gmail.com', quoted.terms)).toBe("to erased@erased.invalid");
  });

  test("of requests, too", () => {
    expect(redactedPath("/customers/joann%40gmail.com", ann.terms)).toBe("/customers/joann%40gmail.com");
    expect(redactedPath("/customers/ann%40gmail.com", ann.terms)).toBe("Erased");
    expect(redactedQuery("email=joann%40gmail.com&q=from+ann%40gmail.com", ann.terms)).toBe(
      "email=joann%40gmail.com&q=Erased",
    );
  });
});

describe("terms of a person", () => {
  test("what stands in the place of what was erased finds nobody", () => {
    expect(termsOf(["erased@erased.invalid", "ERASED-7@erased.invalid", "Erased", "ann@gmail.com"])).toEqual([
      "ann@gmail.com",
    ]);
  });

  test("of very many, e-mail addresses and telephones are never those that are left out", () => {
    const streets = Array.from({ length: 300 }, (_, number) => `${number} Long Street of the Many Warehouses`);
    const terms = termsOf([...streets, "a@b.de", "555 0142"]);
    expect(terms).toHaveLength(200);
    expect(terms).toContain("a@b.de");
    expect(terms).toContain("555 0142");
    expect(terms.at(-1)).toBe("a@b.de");
  });
});

describe("a record of the person", () => {
  const traces = { ids: new Set(["ord_7", "ret_7", "cus_7"]), terms: ["adr_7", "ann@gmail.com"] };
  const redacted = (value: unknown) => JSON.parse(redactedJson(JSON.stringify(value), traces));

  test("has no links to labels and pages of carriers, and no words of a carrier", () => {
    const shipping = { carrier: "UPS", label_url: "https://ups.example/7", tracking_url: "https://ups.example/t/7" };
    expect(redacted({ id: "ret_7", reason: "damaged", return_shipping: shipping })).toEqual({
      ...{ id: "ret_7", reason: "damaged" },
      return_shipping: { carrier: "UPS", label_url: null, tracking_url: null },
    });
    const scan = { status: "exception", carrier_status: "X1", carrier_code: null, reason: "Ann was not at home" };
    expect(redacted({ order_id: "ord_7", events: [scan] }).events).toEqual([{ ...scan, reason: null }]);
  });

  test("has no texts in lists that tell of the person", () => {
    const record = {
      id: "ord_7",
      notes: ["ring twice", { note: "or thrice" }],
      warnings: ["no Elm St"],
      tags: ["tea"],
    };
    expect(redacted(record)).toEqual({
      ...{ id: "ord_7", notes: ["Erased", { note: "Erased" }], warnings: [], tags: ["tea"] },
    });
  });

  test("is found by the id of an address that is gone", () => {
    const answer = { data: { id: "adr_7", name: "Ann Lee", address_line1: "9 Elm St", country: "US" } };
    expect(redacted(answer).data).toEqual({ id: "adr_7", name: "Erased", address_line1: "Erased", country: "US" });
    expect(redacted({ data: { ...answer.data, id: "adr_77" } }).data.name).toBe("Ann Lee");
  });
});

describe("a request that the log has cut", () => {
  test.each([
    ["q=tea&email=ann%40gmai…", "q=tea&email=Erased"],
    ["email=ann%4…", "email=Erased"],
    ["q=%E9%FF+from+ann@g…", "q=Erased"],
    ["email=ann%40gmail.com%2…", "email=Erased"],
    ["email=joann%40gmai…", "email=joann%40gmai…"],
    ["email=an…", "email=an…"],
    ["email=ann%40gmai", "email=ann%40gmai"],
  ])("%s becomes %s", (query, becomes) => {
    expect(redactedQuery(query, ann.terms)).toBe(becomes);
  });
});
