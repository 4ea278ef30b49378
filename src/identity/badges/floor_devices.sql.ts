import { and, eq, gt, isNotNull, isNull, type SQL } from "drizzle-orm";
import { floor_devices } from "../../../db/schema/floor_devices.ts";
import { sessions, users } from "../../../db/schema/users.ts";
import { assert } from "../../core/faults.ts";
import { choice } from "../../core/schema.ts";
import type { Db, ReadStatements, Tx } from "../../storage/database.ts";
import { anyOf, recordList, refersTo, search } from "../../storage/record_list.ts";
import { recordLookup } from "../../storage/record_lookup.ts";
import { type FloorDeviceStatus, floorDeviceStatuses } from "../identity.transitions.ts";
import type { FloorDevice, FloorDeviceInUse } from "./floor_device.ts";

/** The users who are signed in on devices by badge, of one device or (undefined) of all. */
async function usersOn(db: Db, device_id?: number): Promise<ReadonlyMap<number | null, FloorDeviceInUse["used_by"]>> {
  const which = device_id === undefined ? isNotNull(sessions.device_id) : eq(sessions.device_id, device_id);
  const rows = await db.sql
    .select({ device_id: sessions.device_id, id: users.id, name: users.name })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.user_id))
    .where(and(which, gt(sessions.expires_at, db.now)));
  return new Map(rows.map(({ device_id, ...user }) => [device_id, user]));
}

/** The device that an identifier names, such as `fdv_1001` or `1001`. Both refuse: resource_missing. */
export const { get: getDevice, lock: lockDevice } = recordLookup(floor_devices, "floor_device", {
  called: "floor device",
  record: async (db: Db, device): Promise<FloorDeviceInUse> => ({
    ...device,
    used_by: (await usersOn(db, device.id)).get(device.id) ?? null,
  }),
});

const { hash, revoked_at } = floor_devices;
const statusIs: Readonly<Record<FloorDeviceStatus, SQL | undefined>> = {
  unopened: and(isNull(hash), isNull(revoked_at)),
  active: isNotNull(hash),
  revoked: isNotNull(revoked_at),
};

/** Devices, newest first. */
export const deviceList = recordList(floor_devices, {
  select: (sql: ReadStatements) => sql.select().from(floor_devices),
  filters: {
    status: anyOf(choice(floorDeviceStatuses), (status) => statusIs[status]),
    warehouse_id: refersTo(floor_devices.warehouse_id, "warehouse", "Only devices of these warehouses."),
    q: search("Part of the name.", [floor_devices.name]),
  },
  records: async (page, db): Promise<FloorDeviceInUse[]> => {
    const used = await usersOn(db);
    return page.map((device) => ({ ...device, used_by: used.get(device.id) ?? null }));
  },
});

/** The device whose browser sends a cookie with this hash, or null. */
export async function findDevice(db: Db, hash: string): Promise<FloorDevice | null> {
  const [row] = await db.sql.select().from(floor_devices).where(eq(floor_devices.hash, hash));
  return row ?? null;
}

/** The device whose link has this hash and has not expired, or null. */
export async function findLinkedDevice(db: Db, link_hash: string): Promise<FloorDevice | null> {
  const [row] = await db.sql
    .select()
    .from(floor_devices)
    .where(and(eq(floor_devices.link_hash, link_hash), gt(floor_devices.link_expires_at, db.now)));
  return row ?? null;
}

/** Stores a new device and returns its id. */
export async function insertDevice(tx: Tx, device: Omit<FloorDevice, "id">): Promise<number> {
  const [row] = await tx.sql.insert(floor_devices).values(device).returning({ id: floor_devices.id });
  assert(row, "a stored device is returned");
  return row.id;
}

/** Stores a changed device, with its revision incremented. */
export async function saveDevice(tx: Tx, { id, created_at: _, ...device }: FloorDevice): Promise<void> {
  const { name, warehouse_id, hash, link_hash, link_expires_at, revoked_at } = device;
  await tx.sql
    .update(floor_devices)
    .set({
      ...{ name, warehouse_id, hash, link_hash, link_expires_at, revoked_at },
      revision: device.revision + 1,
      updated_at: tx.now,
    })
    .where(eq(floor_devices.id, id));
  tx.changed("users");
}

/** Stores that a user signed in on a device now. */
export async function noteDeviceUse(tx: Tx, id: number): Promise<void> {
  await tx.sql.update(floor_devices).set({ last_used_at: tx.now }).where(eq(floor_devices.id, id));
}
