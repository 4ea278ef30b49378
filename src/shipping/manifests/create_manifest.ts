import type { Actor } from "../../core/actor.ts";
import { Fault, type FieldProblem, invalid, invalidFields, missing } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { dayText, localTime, momentAt, readDay } from "../../core/time_zone.ts";
import type { PlainWarehouse } from "../../inventory/warehouses/warehouse.ts";
import { findWarehouse, listPlainWarehouses } from "../../inventory/warehouses/warehouses.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { isUsable } from "../labels/label.transitions.ts";
import { warehousesOfOrders } from "../origins.sql.ts";
import type { CarrierManifest } from "./manifest.ts";
import { type CreateManifest, manifest_labels_max } from "./manifests.schema.ts";
import {
  findCandidates,
  getManifest,
  insertManifest,
  insertManifestLabels,
  listUnmanifested,
  type ManifestCandidate,
  type NewManifest,
} from "./manifests.sql.ts";

/** The number of days before the manifest's day in which an unmanifested label may have been bought. */
const days_back = 7;
const page_size = 500;

/**
 * Creates a manifest of named labels, or of the unmanifested labels of a day and the seven days before it whose parcels
 * did not leave on an earlier day. A label is on at most one manifest.
 * Refuses: validation_failed, resource_missing, nothing_to_manifest.
 */
export async function createManifest(tx: Tx, input: CreateManifest, actor: Actor): Promise<CarrierManifest> {
  const { label_ids } = input;
  const { ids, ...chosen } =
    label_ids === undefined
      ? await unmanifestedLabels(tx, input)
      : await namedLabels(tx, input, [...new Set(label_ids)]);
  if (ids.length === 0) {
    const message = `No label of ${chosen.carrier} bought by ${chosen.day} is ready for a manifest.`;
    throw new Fault("nothing_to_manifest", message);
  }
  const id = await insertManifest(tx, { ...chosen, created_by: actor });
  const inserted = await insertManifestLabels(tx, id, ids);
  if (inserted < (label_ids === undefined ? 1 : ids.length)) {
    throw new Fault("nothing_to_manifest", "These labels were just added to another manifest.");
  }
  return getManifest(tx, id);
}

type ChosenLabels = Omit<NewManifest, "created_by"> & { readonly ids: readonly number[] };

/** Selects the unmanifested labels of a carrier and warehouse for a day, up to the limit of one manifest. */
async function unmanifestedLabels(tx: Tx, { carrier, warehouse_id, date }: CreateManifest): Promise<ChosenLabels> {
  if (carrier === undefined) throw invalid("carrier", "is required without label_ids", "required");
  const warehouse =
    warehouse_id === undefined ? (await listPlainWarehouses(tx))[0] : await findWarehouse(tx, warehouse_id);
  if (warehouse == null) throw missing("warehouse", warehouse_id ?? "");
  const day = dayOf(date, warehouse, tx.now);
  const start = (at: number) => momentAt({ day: at, minute: 0 }, warehouse.timezone);
  const window = { carrier, since: start(day - days_back), until: start(day + 1), left_since: start(day) };
  const ids: number[] = [];
  for (let after = 0; ids.length < manifest_labels_max; ) {
    const page = await listUnmanifested(tx, window, after, page_size);
    const homes = await warehousesOfOrders(tx, page.map(orderOf));
    ids.push(...page.filter(({ order_id }) => homes.get(order_id)?.id === warehouse.id).map(({ id }) => id));
    const last = page.at(-1);
    if (last === undefined || page.length < page_size) break;
    after = last.id;
  }
  return {
    ids: ids.slice(0, manifest_labels_max),
    warehouse_id: warehouse.id,
    carrier,
    day: dayText(day),
  };
}

/** Selects the named labels, which must have one carrier and one warehouse. */
async function namedLabels(
  tx: Tx,
  input: CreateManifest,
  label_ids: readonly (string | number)[],
): Promise<ChosenLabels> {
  const ids = label_ids.map((id) => readId("label", id) ?? 0);
  const found = new Map((await findCandidates(tx, ids)).map((candidate) => [candidate.id, candidate]));
  const candidates = [...found.values()];
  const homes = await warehousesOfOrders(tx, candidates.map(orderOf));
  const [first] = ids.flatMap((id) => found.get(id) ?? []);
  const carrier = input.carrier ?? first?.carrier ?? "";
  const requested = input.warehouse_id === undefined ? undefined : await findWarehouse(tx, input.warehouse_id);
  if (requested === null) throw missing("warehouse", input.warehouse_id ?? "");
  const warehouse = requested ?? homes.get(first?.order_id ?? 0);
  const problems = ids.flatMap((id, at) => {
    const label = found.get(id);
    const home = label === undefined ? undefined : homes.get(label.order_id);
    const problem = problemOf(label, carrier, home?.id === warehouse?.id);
    return problem === null ? [] : [{ field: `label_ids[${at}]`, ...problem }];
  });
  if (problems.length > 0 || warehouse === undefined) throw invalidFields(problems);
  const day = dayText(dayOf(input.date, warehouse, tx.now));
  return { ids: [...new Set(ids)], warehouse_id: warehouse.id, carrier, day };
}

/** Returns why a label cannot be on the manifest; null when it can. */
function problemOf(
  label: ManifestCandidate | undefined,
  carrier: string,
  here: boolean,
): Omit<FieldProblem, "field"> | null {
  if (label === undefined) return { code: "resource_missing", message: "does not exist" };
  if (label.manifest_id !== null) {
    return { code: "already_listed", message: `is already on ${wireId("manifest", label.manifest_id)}` };
  }
  if (!isUsable(label.status)) {
    return { code: label.status, message: `is ${label.status} and cannot be handed over` };
  }
  if (label.return_id !== null)
    return { code: "return_label", message: "is a return label; the customer sends that parcel" };
  if (label.carrier !== carrier)
    return { code: "other_carrier", message: `is a label of ${label.carrier}, not of ${carrier}` };
  return here ? null : { code: "other_warehouse", message: "ships from another warehouse" };
}

const orderOf = ({ order_id, warehouse_id }: ManifestCandidate) => ({ id: order_id, warehouse_id });

/** The day of a manifest, counted from 1970; by default, today in the warehouse's time zone. */
function dayOf(date: string | undefined, { timezone }: PlainWarehouse, now: number): number {
  if (date === undefined) return localTime(now, timezone).day;
  const day = readDay(date);
  if (day === null) throw invalid("date", "must be a date, such as 2026-01-31", "invalid_format");
  return day;
}
