// A strict parser of Prometheus text format 0.0.4, as strict as `promtool check metrics`: it throws on any error.

export interface Read {
  readonly kind: string;
  readonly help: string;
  /** The value of each sample, by name and labels. */
  readonly samples: ReadonlyMap<string, number>;
}

const name_form = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const label_form = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;
const number_form = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]Inf|NaN)$/;

/** Parses an exposition into families by name. Throws if it is invalid. */
export function readExposition(text: string): ReadonlyMap<string, Read> {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const families = new Map<string, { kind: string; help: string; samples: Map<string, number> }>();
  let current = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const [, word, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (word === "HELP") {
      if (!name_form.test(name)) throw new Error(`not a name: ${name}`);
      if (families.has(name)) throw new Error(`the family ${name} is there twice`);
      families.set(name, { kind: "", help: rest, samples: new Map() });
      current = name;
    } else if (word === "TYPE") {
      const family = families.get(name);
      if (name !== current || !family || family.kind !== "") throw new Error(`TYPE of ${name} is out of place`);
      if (!["counter", "gauge", "histogram"].includes(rest)) throw new Error(`not a type: ${rest}`);
      family.kind = rest;
    } else {
      const family = families.get(current);
      if (!family?.kind) throw new Error(`a sample before its family: ${line}`);
      addSample(line, current, family);
    }
  }
  for (const [name, family] of families) checkFamily(name, family);
  return families;
}

function addSample(line: string, family: string, { kind, samples }: { kind: string; samples: Map<string, number> }) {
  const [, name = "", labels = "", value = ""] = /^([^{ ]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  const suffixes = kind === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
  if (!suffixes.some((suffix) => name === family + suffix)) throw new Error(`${line} is not of ${family}`);
  if (!number_form.test(value)) throw new Error(`not a number: ${line}`);
  const key = `${name}{${labels}}`;
  if (samples.has(key)) throw new Error(`there twice: ${key}`);
  checkLabels(labels, line);
  samples.set(key, Number(value.replace("Inf", "Infinity")));
}

function checkLabels(labels: string, line: string): void {
  const names = new Set<string>();
  label_form.lastIndex = 0;
  while (label_form.lastIndex < labels.length) {
    const found = label_form.exec(labels);
    if (found === null) throw new Error(`labels are off: ${line}`);
    if (names.has(found[1] ?? "") || found[1]?.startsWith("__")) throw new Error(`a label is off: ${line}`);
    names.add(found[1] ?? "");
  }
}

function checkFamily(name: string, { kind, samples }: Read): void {
  if (kind === "counter" && !name.endsWith("_total")) throw new Error(`${name} counts without _total`);
  if (kind !== "counter" && name.endsWith("_total")) throw new Error(`${name} is no counter`);
  for (const [key, value] of samples) if (kind !== "gauge" && value < 0) throw new Error(`${key} is less than nothing`);
  if (kind === "histogram") checkHistogram(name, samples);
}

/** Buckets must increase with their bound, and the last one must count everything. */
function checkHistogram(name: string, samples: Read["samples"]): void {
  const series = Map.groupBy(
    [...samples].flatMap(([key, value]) => {
      const [, before, le] = /_bucket\{(.*?),?le="([^"]+)"\}$/.exec(key) ?? [];
      return le === undefined ? [] : [{ of: before ?? "", le: Number(le.replace("Inf", "Infinity")), value }];
    }),
    ({ of }) => of,
  );
  for (const [of, buckets] of series) {
    for (const [at, { le, value }] of buckets.entries()) {
      const before = buckets[at - 1];
      if (before && (before.le >= le || before.value > value)) throw new Error(`${name}{${of}} shrinks at ${le}`);
    }
    const last = buckets.at(-1);
    if (last?.le !== Number.POSITIVE_INFINITY) throw new Error(`${name}{${of}} has no last bucket`);
    if (last.value !== samples.get(`${name}_count{${of}}`)) throw new Error(`${name}{${of}} counts otherwise`);
    if (!samples.has(`${name}_sum{${of}}`)) throw new Error(`${name}{${of}} has no sum`);
  }
}
