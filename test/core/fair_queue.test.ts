import { expect, test } from "bun:test";
import { FairQueue } from "../../src/core/fair_queue.ts";

test("keys take turns, and the items of a key leave in order of arrival", () => {
  const queue = new FairQueue<string, string>();
  for (const item of ["a1", "a2", "a3", "b1", "b2", "c1"]) queue.push(item.slice(0, 1), item);
  const taken = [queue.shift(), queue.shift()];
  queue.push("d", "d1");
  while (!queue.isEmpty) taken.push(queue.shift());
  expect(taken).toEqual(["a1", "b1", "c1", "a2", "b2", "d1", "a3"]);
  expect(queue.shift()).toBeUndefined();
});
