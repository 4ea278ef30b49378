// The tables of fields are checked themselves, with planted wrong answers.
import { expect, test } from "bun:test";
import {
  decimal,
  envelopedList,
  integer,
  link,
  listOf,
  moment,
  oneOf,
  orNull,
  prefixed,
  record,
  refusal,
  type Shape,
  text,
  wholeSecond,
} from "./shape.ts";

const problemsOf = (shape: Shape, value: unknown) => shape(value, "it").length;

test.each<[string, Shape, unknown, unknown]>([
  ["a text", text, "a", 1],
  ["a text that says nothing", text, "a", ""],
  ["a beginning", prefixed("ord_"), "ord_1", "1"],
  ["an integer", integer, 1, "1"],
  ["an integer without decimals", integer, 1, 1.5],
  ["a number", decimal, 1.5, "1.50"],
  ["a moment", moment, "2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05Z"],
  ["a moment that exists", moment, "2026-01-02T03:04:05.678Z", "2026-13-02T03:04:05.678Z"],
  ["a moment in whole seconds", wholeSecond, "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678Z"],
  ["a URL", link, "http://127.0.0.1:1/a", "/a"],
  ["a choice", oneOf("a", "b"), "b", "c"],
  ["null", orNull(text), null, undefined],
  ["a list with something in it", listOf(text), ["a"], []],
  ["a list of one type", listOf(text), ["a"], ["a", 1]],
  ["a field", record({ a: text }), { a: "a", b: 1 }, { b: "a" }],
  ["a field of a field", record({ a: record({ b: text }) }), { a: { b: "b" } }, { a: { b: 2 } }],
])("%s is told from what is not", (_, shape, right, wrong) => {
  expect([problemsOf(shape, right), problemsOf(shape, wrong)]).toEqual([0, 1]);
});

test("every wrong field of an answer is named with its path", () => {
  const meta = { timestamp: "2026-01-02T03:04:05.678Z", requestId: "r", request_id: "r", version: "v1" };
  const pagination = { page: 1, limit: 50, total: "2", total_pages: 1 };
  const answer = { success: true, data: [{ id: "a" }, { id: 2 }], meta: { ...meta, version: "v2", pagination } };
  expect(envelopedList(record({ id: text }))(answer, "it")).toEqual([
    "it.data[1].id is 2, not a text",
    'it.meta.version is "v2", not one of ["v1"]',
    'it.meta.pagination.total is "2", not an integer',
  ]);
  expect(problemsOf(refusal("route_not_found"), { ...answer, meta })).toBe(2);
});
