import { isDeepStrictEqual } from "node:util";
import { assert, Fault, invalid } from "../../core/faults.ts";
import { centsOf, default_currency } from "../../core/money.ts";
import { weightUnit } from "../../core/weight_units.ts";
import type { Tx } from "../../storage/database.ts";
import { type Carton, type CartonDescription, cartonSize } from "./carton.ts";
import type { CreateCarton, UpdateCarton } from "./cartons.schema.ts";
import { type CartonFields, isCartonUsed, lockCarton, removeCarton, storeCarton } from "./cartons.sql.ts";

const codeTaken = () => invalid("code", "belongs to another carton", "duplicate");

/** Creates a carton. Refuses: validation_failed. */
export async function createCarton(tx: Tx, input: CreateCarton): Promise<Carton> {
  const { code, name = null, active = true } = input;
  const described = describe(input, input);
  const cost = costOf(input.cost ?? null, input.currency ?? default_currency);
  const carton = await storeCarton(tx, null, { code, name, active, described, ...cartonSize(described), ...cost });
  if (carton === null) throw codeTaken();
  return carton;
}

type Sides = Pick<CartonDescription, "length" | "width" | "height">;

function describe(input: UpdateCarton, sides: Sides): CartonDescription {
  const { unit = "in", weight = 0, max_weight = null } = input;
  const weight_unit = weightUnit(input.weight_unit ?? "lb");
  assert(weight_unit !== null, "the weight unit was validated");
  const { length, width, height } = sides;
  return { length, width, height, unit, weight, max_weight, weight_unit };
}

function costOf(cost: string | number | null, currency: string): Pick<CartonFields, "cost_cents" | "currency"> {
  return cost === null
    ? { cost_cents: null, currency: null }
    : { cost_cents: centsOf(cost, currency, "cost"), currency };
}

/** Changes a carton. Equal values change nothing. Refuses: resource_missing, validation_failed. */
export async function updateCarton(tx: Tx, id: string, input: UpdateCarton): Promise<Carton> {
  const before = await lockCarton(tx, id);
  const { id: _id, revision: _revision, created_at: _created, updated_at: _updated, ...own } = before;
  const { code = own.code, name = own.name, active = own.active } = input;
  const merged = { ...own.described, ...input };
  const described = describe(merged, merged);
  if (input.cost === undefined && input.currency != null && input.currency !== own.currency) {
    throw invalid("cost", "is required with another currency", "required");
  }
  const { cost_cents, currency } = own;
  const cost =
    input.cost === undefined
      ? { cost_cents, currency }
      : costOf(input.cost, input.currency ?? currency ?? default_currency);
  const fields: CartonFields = { code, name, active, described, ...cartonSize(described), ...cost };
  if (isDeepStrictEqual(fields, own)) return before;
  const carton = await storeCarton(tx, before, fields);
  if (carton === null) throw codeTaken();
  return carton;
}

/** Deletes a carton that was never used. Refuses: resource_missing, record_in_use. */
export async function deleteCarton(tx: Tx, id: string): Promise<Carton> {
  const carton = await lockCarton(tx, id);
  if (await isCartonUsed(tx, carton)) {
    throw new Fault("record_in_use", `Parcels were packed in ${carton.code}. Send active: false to stop using it.`);
  }
  await removeCarton(tx, carton);
  return carton;
}
