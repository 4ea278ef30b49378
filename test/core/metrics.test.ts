import { describe, expect, test } from "bun:test";
import { counter, exposition, gauge, histogram, reading } from "../../src/core/metrics.ts";
import { readExposition } from "../operations/health/exposition.ts";

describe("meters: guards", () => {
  test("labels and help are escaped, so that no value breaks a line", () => {
    const wild = reading("wild", "A\nB\\", [{ labels: { name: 'a"b\\c\nd' }, value: 1 }]);
    const text = exposition([wild]);
    expect(text).toBe('# HELP wild A\\nB\\\\\n# TYPE wild gauge\nwild{name="a\\"b\\\\c\\nd"} 1\n');
    expect(readExposition(text).get("wild")?.samples.size).toBe(1);
  });

  test("a histogram counts a value equal to a bound in the bucket of that bound", () => {
    const spread = histogram("test_spread", "A spread.", [1, 2.5], ["of"]);
    for (const amount of [1, 1.1, 2.5, 3]) spread.observe(amount, "a");
    const samples = readExposition(exposition([spread])).get("test_spread")?.samples;
    expect(samples?.get('test_spread_bucket{of="a",le="1"}')).toBe(1);
    expect(samples?.get('test_spread_bucket{of="a",le="2.5"}')).toBe(3);
    expect(samples?.get('test_spread_bucket{of="a",le="+Inf"}')).toBe(4);
    expect(samples?.get('test_spread_sum{of="a"}')).toBeCloseTo(7.6);
  });

  test("a meter can be created only once and requires a value for each label", () => {
    const seen = counter("test_seen_total", "Seen.", ["a", "b"]);
    expect(() => counter("test_seen_total", "Seen again.")).toThrow();
    expect(() => counter("test_seen", "Without its ending.")).toThrow();
    expect(() => seen.add(1, "one")).toThrow();
    const level = gauge("test_level", "A level.");
    level.add(2);
    level.add(-3);
    expect(exposition([level])).toContain("test_level -1\n");
  });

  test.each([
    ["without an end", "# HELP a b\n# TYPE a gauge\na 1"],
    ["a sample alone", "a 1\n"],
    ["a family twice", "# HELP a b\n# TYPE a gauge\na 1\n# HELP a b\n# TYPE a gauge\na 1\n"],
    ["a sample twice", "# HELP a b\n# TYPE a gauge\na 1\na 1\n"],
    ["a counter by another name", "# HELP a b\n# TYPE a counter\na 1\n"],
    ["an open quote", '# HELP a b\n# TYPE a gauge\na{b="c} 1\n'],
    ["a number that is none", "# HELP a b\n# TYPE a gauge\na one\n"],
    ["buckets that shrink", '# HELP a b\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\n'],
  ])("the reader of this test refuses %s", (_, text) => {
    expect(() => readExposition(text)).toThrow();
  });
});
