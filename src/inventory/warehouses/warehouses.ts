import { isDeepStrictEqual } from "node:util";
import { readPlace } from "../../addresses/offline_verification.ts";
import { assert, Fault, invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { findMerchantNamed } from "../../merchants/merchants.sql.ts";
import type { TemperatureZone } from "../../products/product.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { isDuplicate } from "../../storage/storage_errors.ts";
import { hasOneMerchant, unknownMerchant } from "../../storage/tenant.ts";
import type { BinKind } from "../inventory.transitions.ts";
import type { BinSpot } from "../ledger/stock_item.ts";
import { defaultCalendar, readCalendar } from "./dispatch_calendar.ts";
import type { BinInput, CreateWarehouse, UpdateWarehouse, ZoneInput } from "./warehouse.schema.ts";
import {
  binSpot,
  checkBinCode,
  checkBinKind,
  checkZonesDiffer,
  defaultTemperatureRange,
  exampleAddress,
  fittingZones,
  isColdEnough,
  type NewBin,
  nextBinCode,
  stagingCode,
  transitBinKinds,
  type Warehouse,
  type WarehouseBin,
  type WarehouseZone,
  type ZonedWarehouse,
} from "./warehouse.ts";
import {
  binHoldsStock,
  ensureBin,
  findBin,
  findBinFor,
  findBinOfKind,
  findPermanentBins,
  findRoomyBin,
  findWarehouse,
  freshBin,
  getWarehouse,
  hasWarehouses,
  insertBins,
  insertNewBin,
  insertWarehouse,
  insertZone,
  listPlainWarehouses,
  lockContents,
  lockWarehouse,
  saveBin,
  saveWarehouse,
  saveZone,
  shareWarehouse,
  zoneHoldsStock,
} from "./warehouses.sql.ts";

// Bins for units that cannot be sold come last on the pick path.
const last_place = 1_000_000;

const firstWarehouse: CreateWarehouse = {
  name: "Main warehouse",
  address: { name: "Main warehouse", ...exampleAddress },
  location_zones: [{ zone_id: "AMBIENT", temperature_zone: "ambient", capacity: 100_000, bins: [{ code: "A-01" }] }],
};

/** Creates the first warehouse of a store that has none. It runs at every start. */
export async function ensureWarehouse(tx: Tx): Promise<void> {
  if (await hasWarehouses(tx)) return;
  const id = await insertWarehouse(tx, fieldsOf(firstWarehouse));
  // Another server may have created it in between.
  if (id !== null) await createZones(tx, id, firstWarehouse.location_zones);
}

/**
 * The id of the warehouse that a field of a request names, or of the only one there is.
 * Refuses: resource_missing, validation_failed.
 */
export async function warehouseNamed(db: Db, location: string | number | undefined, field: string): Promise<number> {
  if (location === undefined) {
    const [first, second] = await listPlainWarehouses(db);
    if (first === undefined || second !== undefined) {
      throw invalid(field, "is required: there are several warehouses", "required");
    }
    return first.id;
  }
  const found = await findWarehouse(db, location);
  if (found !== null) return found.id;
  throw new Fault("resource_missing", `No such warehouse: ${location}.`, {
    fields: [{ field, code: "resource_missing", message: "names no warehouse" }],
  });
}

/** Creates a warehouse with its zones and bins. Refuses: validation_failed. */
export async function createWarehouse(tx: Tx, input: CreateWarehouse): Promise<Warehouse> {
  const fields = fieldsOf(input);
  checkZonesDiffer(input.location_zones);
  const id = await insertWarehouse(tx, fields);
  if (id === null) throw nameTaken();
  await createZones(tx, id, input.location_zones);
  return getWarehouse(tx, id);
}

/**
 * Updates fields of a warehouse. Zones and bins named in `location_zones` are added or updated; the others stay.
 * Refuses: resource_missing, validation_failed.
 */
export async function updateWarehouse(tx: Tx, id: string, input: UpdateWarehouse): Promise<Warehouse> {
  const before = await lockWarehouse(tx, id);
  const { name, address, priority, location_zones = [] } = input;
  checkZonesDiffer(location_zones);
  const fields = {
    ...(name === undefined ? {} : { name }),
    ...placeOf(before, name ?? before.name, address),
    ...readCalendar(input),
    ...(priority === undefined ? {} : { priority }),
  };
  for (const [index, zone] of location_zones.entries()) {
    await setZone(tx, before, zone, `location_zones[${index}]`);
  }
  const updated = await getWarehouse(tx, before.id);
  if (isDeepStrictEqual({ ...updated, ...fields }, before)) return before;
  await save(tx, before, fields);
  // In another time zone it may be another day.
  if (before.timezone !== (input.timezone ?? before.timezone)) tx.wake("inventory.expire_lots", tx.now);
  return getWarehouse(tx, before.id);
}

/** A new address, or the current one with the new name if it had the old one, since the name is printed. */
function placeOf({ name: before, address }: Warehouse, name: string, input: UpdateWarehouse["address"]) {
  if (input !== undefined) return { address: readPlace(input, name, "address") };
  return name !== before && address.name === before ? { address: { ...address, name } } : {};
}

async function save(tx: Tx, before: Warehouse, fields: Parameters<typeof saveWarehouse>[2]): Promise<void> {
  try {
    await tx.nested((part) => saveWarehouse(part, before, fields));
  } catch (error) {
    throw isDuplicate(error, "warehouses", "warehouses_name", ["name"]) ? nameTaken() : error;
  }
}

const nameTaken = () => invalid("name", "belongs to another warehouse", "duplicate");

function fieldsOf(input: CreateWarehouse) {
  const { name, address, priority = 100 } = input;
  return { name, address: readPlace(address, name, "address"), priority, ...defaultCalendar, ...readCalendar(input) };
}

/** Creates the zones and bins of a new warehouse. The bins for units that cannot be sold go to the first zone. */
async function createZones(tx: Tx, warehouse_id: number, location_zones: readonly ZoneInput[]): Promise<void> {
  const empty = await getWarehouse(tx, warehouse_id);
  for (const [index, zone] of location_zones.entries()) {
    await setZone(tx, empty, zone, `location_zones[${index}]`);
  }
  const { zones } = await getWarehouse(tx, warehouse_id);
  const place = { warehouse_id, zone_id: zones[0]?.id ?? null, pick_order: last_place, capacity: null };
  for (const { code, kind } of transitBinKinds) await ensureBin(tx, { ...place, code, kind });
}

async function setZone(tx: Tx, warehouse: Warehouse, input: ZoneInput, field: string): Promise<void> {
  const { zone_id, temperature_zone } = input;
  const before = warehouse.zones.find((zone) => zone.zone_id === zone_id);
  const default_range =
    before?.temperature_zone === temperature_zone
      ? before.temperature_range
      : defaultTemperatureRange[temperature_zone];
  const { temperature_range = default_range, capacity = before?.capacity ?? null } = input;
  const fields = { temperature_zone, temperature_range, capacity };
  if (before && before.temperature_zone !== temperature_zone && (await zoneHoldsStock(tx, before.id))) {
    throw invalid(`${field}.temperature_zone`, "cannot change while the zone holds units");
  }
  if (before) await saveZone(tx, before.id, fields);
  const id = before?.id ?? (await insertZone(tx, { warehouse_id: warehouse.id, zone_id, ...fields }));
  for (const [index, bin] of (input.bins ?? []).entries()) {
    await setBin(tx, warehouse.id, id, bin, `${field}.bins[${index}]`);
  }
}

const defaultBinFields = {
  kind: "storage" as const,
  pick_order: 0,
  capacity: null,
  dedicated_merchant_id: null,
  mix_merchants: false,
};

/** The merchant for whom a bin is to be reserved, or null. Refuses: validation_failed. */
async function merchantFor(
  tx: Tx,
  bin: WarehouseBin | null,
  name: string | number | null,
  place: string,
): Promise<number | null> {
  if (name === null) return null;
  const field = `${place}.dedicated_merchant_id`;
  const merchant = await findMerchantNamed(tx, String(name));
  if (merchant === null) throw unknownMerchant(field);
  const other = bin === null ? null : (await lockContents(tx, bin.id, merchant.id)).other;
  if (other !== null) {
    throw invalid(field, `cannot be ${merchant.code} while the bin holds goods of ${wireId("merchant", other)}`);
  }
  return merchant.id;
}

async function setBin(tx: Tx, warehouse_id: number, zone_id: number, input: BinInput, field: string): Promise<void> {
  const { code } = input;
  checkBinCode(code, `${field}.code`);
  const before = await findBin(tx, warehouse_id, code);
  const defaults = before ?? defaultBinFields;
  const { kind = defaults.kind, pick_order = defaults.pick_order, capacity = defaults.capacity } = input;
  const { dedicated_merchant_id: name, mix_merchants = defaults.mix_merchants } = input;
  checkBinKind(code, kind, `${field}.kind`);
  const dedicated_merchant_id =
    name === undefined ? defaults.dedicated_merchant_id : await merchantFor(tx, before, name, field);
  const fields = { zone_id, kind, pick_order, capacity, dedicated_merchant_id, mix_merchants };
  if (before === null) return insertBins(tx, [{ warehouse_id, code, ...fields }]);
  const moves = before.zone_id !== zone_id || before.kind !== kind;
  if (moves && (await binHoldsStock(tx, before.id))) {
    throw invalid(`${field}.code`, "cannot change zone or kind while it holds units");
  }
  await saveBin(tx, before.id, fields);
}

/** The goods that need a bin. */
interface GoodsForBin {
  readonly merchant_id: number;
  readonly sku: string;
  readonly temperature_zone: TemperatureZone;
}

/**
 * The bin for incoming goods. A named bin is created in the warmest suitable zone if it does not exist. Without a name,
 * it is a storage bin of the suitable zones with room: one reserved for this merchant, else the first without other
 * merchants' goods, else a new one next to the first. Counted units need no room, since they are there already.
 * Refuses: validation_failed (explains how to add a suitable zone), bin_full, bin_of_other_merchant (a named bin).
 */
export async function binFor(
  tx: Tx,
  warehouse: ZonedWarehouse,
  goods: GoodsForBin,
  code: string | undefined,
  quantity: number | "counted",
): Promise<WarehouseBin> {
  const found = code === undefined ? null : await findBin(tx, warehouse.id, code);
  if (found !== null) return fitFor(tx, warehouse, found, goods, quantity);
  const zones = fittingZones(warehouse.zones, goods.temperature_zone);
  const [warmest] = zones;
  if (warmest === undefined) {
    throw invalid(
      "location",
      `has no zone for ${goods.temperature_zone} goods; add a zone with that temperature_zone to the warehouse first`,
    );
  }
  if (code === undefined) {
    return (await defaultBin(tx, zones, goods, quantity)) ?? newBinFor(tx, zones, goods, quantity);
  }
  checkBinCode(code, "bin");
  const place = { warehouse_id: warehouse.id, zone_id: warmest.id, pick_order: 0, capacity: null };
  const bin: NewBin = { ...place, code, kind: "storage" };
  // A transaction that creates it at the same time may put another merchant's goods there.
  return (await insertNewBin(tx, bin)) ?? fitFor(tx, warehouse, await ensureBin(tx, bin), goods, quantity);
}

/**
 * An existing bin, if it suits the goods and takes them. Refuses: validation_failed, bin_full, bin_of_other_merchant.
 */
async function fitFor(
  tx: Tx,
  warehouse: ZonedWarehouse,
  bin: WarehouseBin,
  goods: GoodsForBin,
  quantity: number | "counted",
): Promise<WarehouseBin> {
  refuseUnfit(
    bin,
    warehouse.zones.find(({ id }) => id === bin.zone_id),
    goods,
  );
  const room = await spaceIn(tx, bin, goods, quantity);
  if (room.other !== null) throw binOfOther(bin, room.other);
  if (room.free < room.needed) throw binFull(bin, room);
  return bin;
}

/** How many bins of a zone are tried that turn out to be full once locked, since others put goods into them. */
const bin_attempts_max = 20;

/**
 * The first storage bin of these zones that takes incoming units; null when every bin belongs to other merchants, or
 * there is none. Refuses: bin_full (names the first bin that the merchant may use).
 */
async function defaultBin(
  tx: Tx,
  zones: readonly WarehouseZone[],
  goods: GoodsForBin,
  quantity: number | "counted",
): Promise<WarehouseBin | null> {
  const needed = quantity === "counted" ? 0 : quantity;
  const { merchant_id } = goods;
  const next = (zone_id: number, units: number) =>
    hasOneMerchant(tx) ? findRoomyBin(tx, zone_id, units) : findBinFor(tx, { zone_id, needed: units, merchant_id });
  for (const { id } of zones) {
    let bin = await next(id, needed);
    // Another transaction may have filled it, or emptied one that was full, which is known once it is locked.
    for (let attempts = bin_attempts_max; bin !== null && attempts > 0; attempts -= 1) {
      const room = await spaceIn(tx, bin, goods, quantity);
      if (room.other === null && room.free >= room.needed) return bin;
      bin = await next(id, needed);
    }
  }
  for (const { id } of zones) {
    const bin = await next(id, 0);
    if (bin !== null) throw binFull(bin, await spaceIn(tx, bin, goods, quantity));
  }
  return null;
}

/** How many times another transaction may take the code for a new bin. */
const code_attempts_max = 20;

/**
 * A new storage bin for goods that no bin takes: next to the first storage bin of these zones, with the next free code
 * (A-02 after A-01), or the first one of the warmest zone. One that another transaction has just created is used as
 * well, if it takes the goods. Refuses: write_conflict.
 */
async function newBinFor(
  tx: Tx,
  zones: readonly WarehouseZone[],
  goods: GoodsForBin,
  quantity: number | "counted",
): Promise<WarehouseBin> {
  const { zone, first } = await firstPlace(tx, zones);
  const place = { warehouse_id: zone.warehouse_id, zone_id: zone.id, pick_order: first?.pick_order ?? 0 };
  let code = first === null ? `${zone.zone_id}-01` : nextBinCode(first.code);
  for (let attempts = code_attempts_max; attempts > 0; attempts -= 1) {
    code = await freeBinCode(tx, zone.warehouse_id, code);
    const made = await insertNewBin(tx, { ...place, code, capacity: null, kind: "storage" });
    if (made !== null) return made;
    const bin = await findBin(tx, zone.warehouse_id, code);
    if (bin !== null && bin.kind === "storage" && zones.some(({ id }) => id === bin.zone_id)) {
      const room = await spaceIn(tx, bin, goods, quantity === "counted" ? 0 : quantity);
      if (room.other === null && room.free >= room.needed) return bin;
    }
  }
  throw new Fault("write_conflict", "Other requests keep creating bins. This request changed nothing. Send it again.");
}

/** The first storage bin of these zones, and its zone; the warmest zone when there is none. */
async function firstPlace(tx: Tx, zones: readonly WarehouseZone[]) {
  const [warmest] = zones;
  assert(warmest, "there is a zone for the goods");
  for (const zone of zones) {
    const first = await findRoomyBin(tx, zone.id, 0);
    if (first !== null) return { zone, first };
  }
  return { zone: warmest, first: null };
}

/** How many codes are looked up at once. */
const codes_at_once = 50;

/** The first code from this one on that no bin of the warehouse has. */
async function freeBinCode(tx: Tx, warehouse_id: number, from: string): Promise<string> {
  for (let start = from; ; ) {
    const codes = [start];
    while (codes.length < codes_at_once) codes.push(nextBinCode(codes.at(-1) ?? start));
    const taken = await findPermanentBins(tx, warehouse_id, codes);
    const free = codes.find((code) => !taken.has(code));
    if (free !== undefined) return free;
    start = nextBinCode(codes.at(-1) ?? start);
  }
}

/** The units that come to a bin, and the room it has. */
interface BinSpace {
  readonly needed: number;
  readonly free: number;
  /**
   * The merchant because of whom the bin takes no goods of another: it is reserved for that merchant or holds its
   * goods.
   */
  readonly other: number | null;
}

async function spaceIn(
  tx: Tx,
  bin: WarehouseBin,
  { merchant_id }: GoodsForBin,
  quantity: number | "counted",
): Promise<BinSpace> {
  const { id, kind, capacity, dedicated_merchant_id, mix_merchants } = bin;
  if (quantity === "counted") return { needed: 0, free: 0, other: null };
  if (dedicated_merchant_id !== null && dedicated_merchant_id !== merchant_id) {
    return { needed: 0, free: 0, other: dedicated_merchant_id };
  }
  const mixes = mix_merchants || kind !== "storage" || hasOneMerchant(tx);
  if (capacity === null && mixes) return { needed: 0, free: 0, other: null };
  const { units, other } = await lockContents(tx, id, merchant_id);
  const room = capacity === null ? { needed: 0, free: 0 } : { needed: quantity, free: Math.max(0, capacity - units) };
  return { ...room, other: mixes ? null : other };
}

function binFull({ code, capacity }: WarehouseBin, { needed, free }: BinSpace): Fault {
  const message = `${code} has room for ${free} more units, not for ${needed}. Use another bin or raise its capacity.`;
  return new Fault("bin_full", message, { bin: code, capacity, free, quantity: needed });
}

function binOfOther({ code, dedicated_merchant_id }: WarehouseBin, other: number | null): Fault {
  const merchant_id = other === null ? null : wireId("merchant", other);
  const why = dedicated_merchant_id === null ? `holds goods of ${merchant_id}` : `is reserved for ${merchant_id}`;
  const fix = dedicated_merchant_id === null ? "set its mix_merchants" : "change its dedicated_merchant_id";
  const message = `${code} ${why}. Use another bin, which is created if it does not exist, or ${fix}.`;
  return new Fault("bin_of_other_merchant", message, { bin: code, merchant_id });
}

function refuseUnfit(bin: WarehouseBin, zone: WarehouseZone | undefined, { sku, temperature_zone }: GoodsForBin): void {
  if (bin.kind === "staging") throw invalid("bin", "is the staging bin of an order");
  if (bin.kind !== "storage" || !zone || isColdEnough(zone.temperature_zone, temperature_zone)) return;
  throw invalid("bin", `is in the ${zone.temperature_zone} zone ${zone.zone_id}; ${sku} is ${temperature_zone}`);
}

/** A warehouse's bin for a merchant's units that cannot be sold: the first of the kind that takes them. */
export async function transitSpot(tx: Tx, warehouse_id: number, kind: BinKind, merchant_id: number): Promise<BinSpot> {
  const default_bin = transitBinKinds.find((bin) => bin.kind === kind);
  assert(default_bin, `units never wait in a ${kind} bin`);
  const warehouse = await tx.memo(`inventory.warehouse:${warehouse_id}`, () => shareWarehouse(tx, warehouse_id));
  const place = { warehouse_id, zone_id: warehouse.zones[0]?.id ?? null, pick_order: last_place, capacity: null };
  const bin =
    (await findBinOfKind(tx, warehouse_id, kind, merchant_id)) ??
    (await ensureTransitBin(tx, { ...place, code: default_bin.code, kind }));
  return binSpot(warehouse, bin);
}

/** The bin with this code; a new one with the next free code if that is of another kind or of one merchant only. */
async function ensureTransitBin(tx: Tx, wanted: NewBin): Promise<WarehouseBin> {
  const bin = await ensureBin(tx, wanted);
  if (bin.kind === wanted.kind && bin.dedicated_merchant_id === null) return bin;
  const code = await freeBinCode(tx, wanted.warehouse_id, nextBinCode(wanted.code));
  return freshBin(tx, { ...wanted, code });
}

/** The bin for the picked units of an order, by the order's id in the API. */
export async function stagingBin(tx: Tx, warehouse_id: number, order: string): Promise<WarehouseBin> {
  const place = { warehouse_id, zone_id: null, pick_order: 0, capacity: null };
  return freshBin(tx, { ...place, code: stagingCode(order), kind: "staging" });
}
