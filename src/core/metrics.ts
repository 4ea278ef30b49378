// The metrics of this process, and their text for Prometheus. `src/README.md` says why no library does this.
import { assert } from "./faults.ts";

/** One number with a value for each label of its family. */
export interface MetricSample {
  /** The suffix of the family's name: `_bucket`, `_sum`, `_count`, or nothing. */
  readonly suffix: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Numbers of one meaning. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly kind: "counter" | "gauge" | "histogram";
  readonly samples: () => readonly MetricSample[];
}

/** A number that only grows. */
interface MetricCounter extends MetricFamily {
  /** Counts `amount` under a value for each label, in their order. */
  readonly add: (amount: number, ...values: string[]) => void;
}

/** A number that grows and falls. */
interface MetricGauge extends MetricFamily {
  readonly add: (amount: number, ...values: string[]) => void;
}

/** How often a value fell into each bucket. */
interface MetricHistogram extends MetricFamily {
  readonly observe: (amount: number, ...values: string[]) => void;
}

const metricFamilies: MetricFamily[] = [];

/** The meters of this process, in the order they were made. */
export function allMetrics(): readonly MetricFamily[] {
  return metricFamilies;
}

/** Makes a counter, once for a process; its name ends in `_total`. */
export function counter(name: string, help: string, labels: readonly string[] = []): MetricCounter {
  assert(name.endsWith("_total"), `the name of the counter ${name} ends in _total`);
  const { add, samples } = numbers(labels);
  return registered({ name, help, kind: "counter", add, samples });
}

/** Makes a gauge, once for a process. */
export function gauge(name: string, help: string, labels: readonly string[] = []): MetricGauge {
  const { add, samples } = numbers(labels);
  return registered({ name, help, kind: "gauge", add, samples });
}

/** Makes a histogram, once for a process. The bucket of a bound counts values that are not above it. */
export function histogram(name: string, help: string, bounds: readonly number[], labels: readonly string[] = []) {
  const kept = cells<BucketCounts>(labels, () => ({ counts: new Array(bounds.length + 1).fill(0), sum: 0 }));
  const observe = (amount: number, ...values: string[]) => {
    const spread = kept.of(values);
    spread.sum += amount;
    let at = 0;
    while (at < bounds.length && amount > (bounds[at] as number)) at += 1;
    spread.counts[at] = (spread.counts[at] ?? 0) + 1;
  };
  const samples = () => kept.all().flatMap(([labels, spread]) => spreadSamples(labels, spread, bounds));
  return registered<MetricHistogram>({ name, help, kind: "histogram", observe, samples });
}

/** A gauge of given numbers, for values that are looked up on request. */
export function reading(name: string, help: string, numbers: readonly Omit<MetricSample, "suffix">[]): MetricFamily {
  const samples = numbers.map((sample) => ({ ...sample, suffix: "" }));
  return { name, help, kind: "gauge", samples: () => samples };
}

/** Families as text in Prometheus' format 0.0.4; only the samples whose labels are `shown`. */
export function exposition(
  families: readonly MetricFamily[],
  shown: (labels: MetricSample["labels"]) => boolean = () => true,
): string {
  const lines: string[] = [];
  for (const { name, help, kind, samples } of families) {
    lines.push(`# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`, `# TYPE ${name} ${kind}`);
    for (const { suffix, labels, value } of samples()) {
      if (shown(labels)) lines.push(`${name}${suffix}${labelText(labels)} ${numberText(value)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

interface BucketCounts {
  /** How many values fell between a bound and the one before it; the last counts those above all bounds. */
  readonly counts: number[];
  sum: number;
}

function spreadSamples(
  labels: MetricSample["labels"],
  { counts, sum }: BucketCounts,
  bounds: readonly number[],
): MetricSample[] {
  let count = 0;
  const buckets = counts.map((more, at) => {
    count += more;
    const le = at < bounds.length ? String(bounds[at]) : "+Inf";
    return { suffix: "_bucket", labels: { ...labels, le }, value: count };
  });
  return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: count }];
}

function numbers(labels: readonly string[]) {
  const kept = cells(labels, () => ({ value: 0 }));
  if (labels.length === 0) kept.of([]);
  const add = (amount: number, ...values: string[]) => {
    kept.of(values).value += amount;
  };
  const samples = () => kept.all().map(([labels, { value }]) => ({ suffix: "", labels, value }));
  return { add, samples };
}

/** A tree with a level for each label; its leaves are the cells. */
interface LabelBranch<Cell> {
  readonly next: Map<string, LabelBranch<Cell>>;
  cell: Cell | null;
}

/** The cells of a family by their label values. No text is joined to find one, which would cost on every request. */
function cells<Cell>(labels: readonly string[], make: () => Cell) {
  const made: [MetricSample["labels"], Cell][] = [];
  const root: LabelBranch<Cell> = { next: new Map(), cell: null };
  const of = (values: readonly string[]): Cell => {
    let at = root;
    for (const value of values) {
      let next = at.next.get(value);
      if (next === undefined) {
        next = { next: new Map(), cell: null };
        at.next.set(value, next);
      }
      at = next;
    }
    if (at.cell === null) {
      const about = named(labels, values);
      at.cell = make();
      made.push([about, at.cell]);
    }
    return at.cell;
  };
  return { of, all: () => made };
}

function registered<F extends MetricFamily>(family: F): F {
  assert(!metricFamilies.some(({ name }) => name === family.name), `there is one meter ${family.name}`);
  metricFamilies.push(family);
  return family;
}

function named(labels: readonly string[], values: readonly string[]): Record<string, string> {
  assert(labels.length === values.length, `a value for each of ${labels.join(", ")}`);
  return Object.fromEntries(labels.map((label, at) => [label, values[at] as string]));
}

function labelText(labels: MetricSample["labels"]): string {
  const escaped = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}
