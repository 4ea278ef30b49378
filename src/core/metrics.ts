// The metrics of this process in Prometheus' text format. `src/README.md` explains why no library is used.
import { assert } from "./faults.ts";

/** One number of a family, with a value for each label. */
export interface MetricSample {
  /** The suffix of the family's name: `_bucket`, `_sum`, `_count`, or nothing. */
  readonly suffix: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric: numbers of one meaning. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly kind: "counter" | "gauge" | "histogram";
  readonly samples: () => readonly MetricSample[];
}

/** A number that only increases. */
interface MetricCounter extends MetricFamily {
  /** Adds `amount` under these label values, which are in the order of the labels. */
  readonly add: (amount: number, ...values: string[]) => void;
}

/** A number that increases and decreases. */
interface MetricGauge extends MetricFamily {
  readonly add: (amount: number, ...values: string[]) => void;
}

/** Counts how often a value fell into each bucket. */
interface MetricHistogram extends MetricFamily {
  readonly observe: (amount: number, ...values: string[]) => void;
}

const metricFamilies: MetricFamily[] = [];

/** The metrics of this process, in order of creation. */
export function allMetrics(): readonly MetricFamily[] {
  return metricFamilies;
}

/** Creates a counter. Its name ends in `_total` and is unique in the process. */
export function counter(name: string, help: string, labels: readonly string[] = []): MetricCounter {
  assert(name.endsWith("_total"), `the name of counter ${name} must end in _total`);
  const { add, samples } = numbers(labels);
  return registered({ name, help, kind: "counter", add, samples });
}

/** Creates a gauge. Its name is unique in the process. */
export function gauge(name: string, help: string, labels: readonly string[] = []): MetricGauge {
  const { add, samples } = numbers(labels);
  return registered({ name, help, kind: "gauge", add, samples });
}

/** Creates a histogram. Its name is unique in the process. A bucket counts values up to and including its bound. */
export function histogram(name: string, help: string, bounds: readonly number[], labels: readonly string[] = []) {
  const series = cells<BucketCounts>(labels, () => ({ counts: new Array(bounds.length + 1).fill(0), sum: 0 }));
  const observe = (amount: number, ...values: string[]) => {
    const bucket_counts = series.of(values);
    bucket_counts.sum += amount;
    let at = 0;
    while (at < bounds.length && amount > (bounds[at] as number)) at += 1;
    bucket_counts.counts[at] = (bucket_counts.counts[at] ?? 0) + 1;
  };
  const samples = () => series.all().flatMap(([labels, bucket_counts]) => bucketSamples(labels, bucket_counts, bounds));
  return registered<MetricHistogram>({ name, help, kind: "histogram", observe, samples });
}

/** Creates a gauge from numbers that are read on request. It is not registered. */
export function reading(name: string, help: string, numbers: readonly Omit<MetricSample, "suffix">[]): MetricFamily {
  const samples = numbers.map((sample) => ({ ...sample, suffix: "" }));
  return { name, help, kind: "gauge", samples: () => samples };
}

/** Formats metrics in Prometheus' text format 0.0.4. Only samples whose labels satisfy `shown` are included. */
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
  /** How many values fell between each bound and the previous one. The last number counts those above all bounds. */
  readonly counts: number[];
  sum: number;
}

function bucketSamples(
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
  const series = cells(labels, () => ({ value: 0 }));
  if (labels.length === 0) series.of([]);
  const add = (amount: number, ...values: string[]) => {
    series.of(values).value += amount;
  };
  const samples = () => series.all().map(([labels, { value }]) => ({ suffix: "", labels, value }));
  return { add, samples };
}

/** A tree with one level per label; its leaves are the cells. */
interface LabelBranch<Cell> {
  readonly next: Map<string, LabelBranch<Cell>>;
  cell: Cell | null;
}

/** The cells of a family by label values. The lookup joins no text, which would cost on every request. */
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
  assert(!metricFamilies.some(({ name }) => name === family.name), `metric ${family.name} exists already`);
  metricFamilies.push(family);
  return family;
}

function named(labels: readonly string[], values: readonly string[]): Record<string, string> {
  assert(labels.length === values.length, `a value is required for each label: ${labels.join(", ")}`);
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
