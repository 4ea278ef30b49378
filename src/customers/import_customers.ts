import { type CheckedCsvRow, type CsvRowOutcome, rowOutcome, type WrittenKeys } from "../core/csv_columns.ts";
import { Fault, invalid } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import type { Tx } from "../storage/database.ts";
import type { UpdateAddress } from "./customer.schema.ts";
import { type Customer, emailKey } from "./customer.ts";
import { customerRow, type ImportCustomer } from "./customer_csv.schema.ts";
import { findCustomersByEmail, getCustomer } from "./customers.sql.ts";
import { addAddress, createCustomer, updateAddress, updateCustomer } from "./customers.ts";

/**
 * Creates the customers of some rows of a file, or updates those that differ. A row that fails writes nothing and does
 * not affect the others. Refuses: validation_failed, merchant_closed (each as the result of its row).
 */
export async function saveCustomerRows(
  tx: Tx,
  rows: readonly CheckedCsvRow<ImportCustomer>[],
  taken: WrittenKeys,
): Promise<CsvRowOutcome[]> {
  const known = await findCustomersByEmail(
    tx,
    rows.map(({ row }) => row.email),
  );
  const own = new Map<string, number>();
  const outcomes: CsvRowOutcome[] = [];
  for (const { line, row } of rows) {
    const key = emailKey(row.email);
    const outcome = await rowOutcome(async () => {
      const first = taken.get(key) ?? own.get(key);
      if (first !== undefined) throw invalid("email", `repeats line ${first}`, "duplicate");
      const before = known.get(key) ?? null;
      const after = await tx.nested((inner) => inFile(() => setCustomer(inner, before, row)));
      const change = before === null ? "created" : after.revision === before.revision ? "unchanged" : "updated";
      return { change, key, effect: { before: before && customerRow(before), after: customerRow(after) } } as const;
    });
    if (outcome.change !== "failed") own.set(key, line);
    outcomes.push(outcome);
  }
  return outcomes;
}

async function setCustomer(tx: Tx, before: Customer | null, row: ImportCustomer): Promise<Customer> {
  const { shipping_address, ...fields } = row;
  if (before === null) {
    const shipping_addresses = shipping_address ? [newAddress(shipping_address)] : [];
    return createCustomer(tx, { ...fields, shipping_addresses });
  }
  // The email address in the row finds the customer; its spelling stays.
  const changed = await updateCustomer(tx, wireId("customer", before.id), { ...fields, email: before.email });
  if (!shipping_address) return changed;
  const id = wireId("customer", before.id);
  const address = changed.shipping_addresses.find(({ is_default }) => is_default);
  if (address === undefined) await addAddress(tx, id, newAddress(shipping_address));
  else await updateAddress(tx, id, wireId("address", address.id), wholeAddress(shipping_address));
  return getCustomer(tx, before.id);
}

/** A row that states the street states the whole address, so that nothing of the former one is left in it. */
function wholeAddress(stated: UpdateAddress): UpdateAddress {
  if (stated.address_line1 === undefined) return stated;
  return { address_line2: null, city: "", state: null, postal_code: null, phone: null, ...stated };
}

/** Refuses: validation_failed (without a street or country). */
function newAddress({ address_line1, city = "", country, ...others }: UpdateAddress) {
  if (address_line1 === undefined) throw invalid("address_line1", "is required", "required");
  if (country === undefined) throw invalid("country", "is required", "required");
  return { ...others, address_line1, city, country };
}

/** Runs work whose refusals name address fields, and names them as the columns do. */
async function inFile<Done>(work: () => Promise<Done>): Promise<Done> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { fields = [] } = error.facts;
    const named = fields.map((problem) => {
      const field = problem.field.replace(/^shipping_addresses\[0\]\./, "");
      return placeNames.has(field) ? { ...problem, field: `shipping_address.${field}` } : problem;
    });
    throw new Fault(error.code, error.message, { ...error.facts, fields: named });
  }
}

const placeNames: ReadonlySet<string> = new Set([
  ...["name", "address_line1", "address_line2", "city", "state", "postal_code", "country"],
]);
