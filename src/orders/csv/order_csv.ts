import type { CsvRowGroup } from "../../core/csv_columns.ts";
import { Fault, type FieldProblem, invalid, invalidFields } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { emailKey } from "../../customers/customer.ts";
import type { CreateOrder } from "../order.schema.ts";
import { initialOrderStatus, pastTimestamps } from "../order.transitions.ts";
import type { LineAmounts, Order } from "../order.ts";
import { amountsOf } from "../order_lines.ts";
import { type OrderCsvLine, readOnly } from "./order_csv.schema.ts";

const lines_max = 500;
// Fields that each row states for its own line, and fields that are only exported.
export const lineFields = ["sku", "quantity", "unit_price", "discount_amount", "line_total"] as const;
const ownFields: ReadonlySet<string> = new Set([...lineFields, ...readOnly]);

/** An order as the rows of a CSV describe it. */
export interface CsvOrder<Row extends OrderCsvLine = OrderCsvLine> {
  /** The first row, with everything that any of them states of the order itself. */
  readonly first: Row;
  readonly lines: readonly Row[];
}

/**
 * The order that some rows form. What one row states of the order applies to all rows: the others state the same, or
 * nothing. Where rows disagree, the problem names those in the minority. Refuses: validation_failed.
 */
export function csvOrderOf<Row extends OrderCsvLine>({ rows }: CsvRowGroup<Row>, own = ownFields): CsvOrder<Row> {
  const [head] = rows;
  if (head === undefined) throw invalid("order_number", "has no rows");
  if (rows.length > lines_max)
    throw invalid(`rows[${lines_max}].sku`, `is line ${lines_max + 1} of the order`, "too_many");
  const stated = new Map<string, CsvFieldValue[]>();
  for (const [at, { row }] of rows.entries()) {
    for (const [field, value] of Object.entries(flat(row))) {
      if (own.has(field)) continue;
      stated.set(field, [...(stated.get(field) ?? []), { at, value, text: JSON.stringify(value) }]);
    }
  }
  const problems = [...stated].flatMap(([field, all]) => disagreements(field, all, rows));
  if (problems.length > 0) throw invalidFields(problems);
  const first = whole(new Map([...stated].map(([field, [cell]]) => [field, cell?.value])));
  return { first: { ...head.row, ...first }, lines: rows.map(({ row }) => row) };
}

/** What one of the rows states for a field of the order. */
interface CsvFieldValue {
  readonly at: number;
  readonly value: unknown;
  readonly text: string;
}

function disagreements(
  field: string,
  all: readonly CsvFieldValue[],
  rows: CsvRowGroup<OrderCsvLine>["rows"],
): FieldProblem[] {
  const agreeing = new Map<string, CsvFieldValue[]>();
  for (const cell of all) agreeing.set(cell.text, [...(agreeing.get(cell.text) ?? []), cell]);
  if (agreeing.size <= 1) return [];
  const [most = []] = [...agreeing.values()].sort((a, b) => b.length - a.length);
  const line = rows[most[0]?.at ?? 0]?.line;
  const message = `differs from line ${line} of the same order`;
  return all
    .filter(({ text }) => text !== most[0]?.text)
    .map(({ at }) => ({ field: `rows[${at}].${field}`, code: "conflict", message }));
}

/** Fields as a row has them, with those of its address in a group. */
function whole(fields: ReadonlyMap<string, unknown>): Partial<OrderCsvLine> {
  const row: Record<string, unknown> = {};
  for (const [field, value] of fields) {
    const [name = field, inner] = field.split(".");
    row[name] = inner === undefined ? value : { ...(row[name] as object | undefined), [inner]: value };
  }
  return row;
}

/** The fields of a row, those of its address by their paths. */
function flat({ shipping_address, ...row }: OrderCsvLine): Record<string, unknown> {
  const place = Object.entries(shipping_address ?? {}).map(([name, value]) => [`shipping_address.${name}`, value]);
  return { ...row, ...Object.fromEntries(place) };
}

/** Refuses: validation_failed (an order that is not pending, which would be worked on once more). */
export function refuseOldState({ first: { status } }: CsvOrder): void {
  if (status === undefined || status === initialOrderStatus) return;
  const past = Object.hasOwn(pastTimestamps, status) ? "; import past orders with history=true" : "";
  const message = `is ${status}: only pending orders can be imported${past}`;
  throw invalid("status", message);
}

/** Refuses: duplicate_order_number (an existing order with another customer or other lines than in the CSV). */
export function refuseOther(order: Order, { first, lines }: CsvOrder): void {
  const isSame =
    (first.customer_email === undefined || emailKey(first.customer_email) === emailKey(order.customer_email)) &&
    keys(lines.map((line, at) => ({ sku: line.sku, ...amountsOf(line, order.currency, `rows[${at}].`) }))) ===
      keys(order.lines);
  if (isSame) return;
  const id = wireId("order", order.id);
  const problem = {
    field: "order_number",
    code: "duplicate",
    message: `belongs to ${id}, which has another customer or other lines`,
  };
  throw new Fault("duplicate_order_number", `Another order has the number ${order.order_number}.`, {
    fields: [problem],
  });
}

const keys = (lines: readonly (LineAmounts & { readonly sku: string })[]) =>
  lines
    .map((line) => JSON.stringify([line.sku, line.quantity, line.unit_price_cents, line.discount_cents]))
    .sort()
    .join();

/** The order as a client would send it. */
export function inputOf(
  { first, lines }: CsvOrder,
  recipient: { readonly customer_id: number; readonly shipping_address_id: number },
): CreateOrder {
  const { order_number, shipping_method, order_notes, packing_note, requires_cold_storage, priority, metadata } = first;
  const { shipping_amount, currency, allow_backorder, fulfillment_type, warehouse_id, shipping_method_code } = first;
  const tags = first.tags?.split(",").map((tag) => tag.trim());
  const changeable = { shipping_method, order_notes, packing_note, tags, requires_cold_storage, priority, metadata };
  const others = { shipping_amount, currency, allow_backorder, fulfillment_type, warehouse_id, shipping_method_code };
  const fields = { ...changeable, ...others };
  const line_items = lines.map(({ sku, quantity, unit_price, discount_amount, line_total }) => {
    return { sku, quantity, ...definedFields({ unit_price, discount_amount, line_total }) };
  });
  return { order_number, ...recipient, line_items, ...definedFields(fields) };
}

/** The fields that have a value. */
function definedFields(fields: Record<string, unknown>): Record<string, never> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** A refusal with its fields as the CSV has them. */
export function inFile(fault: Fault): Fault {
  const { fields = [] } = fault.facts;
  const renamed = fields.map((problem) => {
    const field = problem.field
      .replace(/^line_items\[/, "rows[")
      .replace(/^shipping_addresses\[0\]/, "shipping_address")
      .replace(/^email$/, "customer_email");
    return { ...problem, field };
  });
  return new Fault(fault.code, fault.message, { ...fault.facts, fields: renamed });
}
