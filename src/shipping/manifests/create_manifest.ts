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
  listWaiting,
  type ManifestCandidate,
  type NewManifest,
} from "./manifests.sql.ts";

/** How many days before the manifest's day a label may have been bought, if it is on no manifest yet. */
const days_back = 7;
const looked_at_once = 500;

/**
 * Creates a manifest: of the labels of a day and those of the week before whose parcels did not leave before that day,
 * or of named labels. Each label is on one manifest only.
 * Refuses: validation_failed, resource_missing, nothing_to_manifest.
 */
export async function createManifest(tx: Tx, input: CreateManifest, actor: Actor): Promise<CarrierManifest> {
  const { label_ids } = input;
  const { ids, ...chosen } =
    label_ids === undefined ? await waitingFor(tx, input) : await namedBy(tx, input, [...new Set(label_ids)]);
  if (ids.length === 0) {
    const message = `No label of ${chosen.carrier} bought by ${chosen.day} waits for a manifest.`;
    throw new Fault("nothing_to_manifest", message);
  }
  const id = await insertManifest(tx, { ...chosen, created_by: actor });
  const put = await insertManifestLabels(tx, id, ids);
  if (put < (label_ids === undefined ? 1 : ids.length)) {
    throw new Fault("nothing_to_manifest", "Another manifest has just taken these labels.");
  }
  return getManifest(tx, id);
}

type ChosenLabels = Omit<NewManifest, "created_by"> & { readonly ids: readonly number[] };

/** The labels of a carrier and warehouse that wait for the manifest of a day, as many as one manifest can hold. */
async function waitingFor(tx: Tx, { carrier, warehouse_id, date }: CreateManifest): Promise<ChosenLabels> {
  if (carrier === undefined) throw invalid("carrier", "is required unless label_ids names the labels", "required");
  const warehouse =
    warehouse_id === undefined ? (await listPlainWarehouses(tx))[0] : await findWarehouse(tx, warehouse_id);
  if (warehouse == null) throw missing("warehouse", warehouse_id ?? "");
  const day = dayOf(date, warehouse, tx.now);
  const start = (at: number) => momentAt({ day: at, minute: 0 }, warehouse.timezone);
  const gathering = { carrier, since: start(day - days_back), until: start(day + 1), left_since: start(day) };
  const ids: number[] = [];
  for (let after = 0; ids.length < manifest_labels_max; ) {
    const some = await listWaiting(tx, gathering, after, looked_at_once);
    const homes = await warehousesOfOrders(tx, some.map(orderOf));
    ids.push(...some.filter(({ order_id }) => homes.get(order_id)?.id === warehouse.id).map(({ id }) => id));
    const last = some.at(-1);
    if (last === undefined || some.length < looked_at_once) break;
    after = last.id;
  }
  return {
    ids: ids.slice(0, manifest_labels_max),
    warehouse_id: warehouse.id,
    carrier,
    day: dayText(day),
  };
}

/** The named labels, all of one carrier and one warehouse. */
async function namedBy(tx: Tx, input: CreateManifest, label_ids: readonly (string | number)[]): Promise<ChosenLabels> {
  const ids = label_ids.map((id) => readId("label", id) ?? 0);
  const found = new Map((await findCandidates(tx, ids)).map((one) => [one.id, one]));
  const candidates = [...found.values()];
  const homes = await warehousesOfOrders(tx, candidates.map(orderOf));
  const [first] = ids.flatMap((id) => found.get(id) ?? []);
  const carrier = input.carrier ?? first?.carrier ?? "";
  const asked = input.warehouse_id === undefined ? undefined : await findWarehouse(tx, input.warehouse_id);
  if (asked === null) throw missing("warehouse", input.warehouse_id ?? "");
  const warehouse = asked ?? homes.get(first?.order_id ?? 0);
  const problems = ids.flatMap((id, at) => {
    const one = found.get(id);
    const home = one === undefined ? undefined : homes.get(one.order_id);
    const problem = problemOf(one, carrier, home?.id === warehouse?.id);
    return problem === null ? [] : [{ field: `label_ids[${at}]`, ...problem }];
  });
  if (problems.length > 0 || warehouse === undefined) throw invalidFields(problems);
  const day = dayText(dayOf(input.date, warehouse, tx.now));
  return { ids: [...new Set(ids)], warehouse_id: warehouse.id, carrier, day };
}

/** Why a named label cannot go onto the manifest; null when it can. */
function problemOf(
  label: ManifestCandidate | undefined,
  carrier: string,
  here: boolean,
): Omit<FieldProblem, "field"> | null {
  if (label === undefined) return { code: "resource_missing", message: "is not a label" };
  if (label.manifest_id !== null) {
    return { code: "already_listed", message: `is on ${wireId("manifest", label.manifest_id)} already` };
  }
  if (!isUsable(label.status)) {
    return { code: label.status, message: `is ${label.status}, so it cannot be handed over` };
  }
  if (label.return_id !== null)
    return { code: "return_label", message: "is a return label, and the customer" + " sends that parcel" };
  if (label.carrier !== carrier)
    return { code: "other_carrier", message: `is a label of ${label.carrier},` + ` not of ${carrier}` };
  return here ? null : { code: "other_warehouse", message: "leaves another warehouse" };
}

const orderOf = ({ order_id, warehouse_id }: ManifestCandidate) => ({ id: order_id, warehouse_id });

/** The day of a manifest, counted from 1970; by default today in the warehouse's zone. */
function dayOf(date: string | undefined, { timezone }: PlainWarehouse, now: number): number {
  if (date === undefined) return localTime(now, timezone).day;
  const day = readDay(date);
  if (day === null) throw invalid("date", "must be a day such as 2026-01-31", "invalid_format");
  return day;
}
