// Billable activities: kinds, units and the records that they refer to.

export const billableKinds = [
  "receiving",
  "handling",
  "pick",
  "pack",
  "label",
  "label_void",
  "putback",
  "return",
  "project",
] as const;
export type BillableKind = (typeof billableKinds)[number];

export const billedUnits = ["unit", "place", "label", "minute"] as const;
export type BilledUnit = (typeof billedUnits)[number];

/** The types of records that billable events refer to. */
export const sourceTypes = [
  "movement",
  "receipt",
  "transfer",
  "count",
  "order",
  "label",
  "return",
  "billable_event",
] as const;
export type SourceType = (typeof sourceTypes)[number];

/** How an act is billed: its kind, the counted unit, and the type of its record. */
interface BillingRule {
  readonly kind: BillableKind;
  readonly unit: BilledUnit;
  readonly source: SourceType;
}

// biome-ignore format: a table is read by its columns.
export const billedAs = {
  "stock.add":        { kind: "receiving",  unit: "unit",   source: "movement" },
  "receipt.close":    { kind: "receiving",  unit: "unit",   source: "receipt" },
  "stock.move":       { kind: "handling",   unit: "unit",   source: "movement" },
  "stock.put_away":   { kind: "handling",   unit: "unit",   source: "movement" },
  "transfer.ship":    { kind: "handling",   unit: "unit",   source: "transfer" },
  "transfer.receive": { kind: "handling",   unit: "unit",   source: "transfer" },
  "count.post":       { kind: "handling",   unit: "place",  source: "count" },
  "order.pick":       { kind: "pick",       unit: "unit",   source: "order" },
  "order.pack":       { kind: "pack",       unit: "unit",   source: "order" },
  "order.give_up":    { kind: "putback",    unit: "unit",   source: "movement" },
  "order.put_back":   { kind: "putback",    unit: "unit",   source: "movement" },
  "label.buy":        { kind: "label",      unit: "label",  source: "label" },
  "label.void":       { kind: "label_void", unit: "label",  source: "label" },
  "return.receive":   { kind: "return",     unit: "unit",   source: "return" },
  "return.inspect":   { kind: "return",     unit: "unit",   source: "return" },
  "project.add":      { kind: "project",    unit: "minute", source: "billable_event" },
} as const satisfies Readonly<Record<string, BillingRule>>;
export type BilledAct = keyof typeof billedAs;

export const billedActs = Object.keys(billedAs) as readonly BilledAct[];

/** Whether an act is recorded manually, and may therefore be reversed. */
export function isRecordedByHand(act: BilledAct): boolean {
  return act === "project.add";
}
