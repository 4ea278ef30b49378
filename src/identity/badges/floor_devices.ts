import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Tx } from "../../storage/database.ts";
import { tokenHashOf, tokenOf } from "../sessions/session.ts";
import { endSessionsOn } from "../sessions/sessions.sql.ts";
import { device_link_ms, type FloorDevice, type FloorDeviceInUse, statusOf } from "./floor_device.ts";
import { findLinkedDevice, getDevice, insertDevice, lockDevice, saveDevice } from "./floor_devices.sql.ts";

/** A device with the token of its new link, of which only the hash is stored. */
interface LinkedFloorDevice {
  readonly device: FloorDeviceInUse;
  readonly token: string;
}

function newLink(now: number, random: Uint8Array) {
  const token = tokenOf(random);
  return { token, link: { link_hash: tokenHashOf(token), link_expires_at: now + device_link_ms } };
}

/** Creates a device with a link, which makes a browser the device. `random` is 32 random bytes. */
export async function createDevice(
  tx: Tx,
  { name, warehouse_id }: Pick<FloorDevice, "name" | "warehouse_id">,
  random: Uint8Array,
): Promise<LinkedFloorDevice> {
  const { token, link } = newLink(tx.now, random);
  const id = await insertDevice(tx, {
    ...{ name, warehouse_id, ...link },
    ...{ hash: null, last_used_at: null, revoked_at: null },
    ...{ revision: 1, created_at: tx.now, updated_at: tx.now },
  });
  return { device: await getDevice(tx, id), token };
}

/** Changes the name or the warehouse of a device. Refuses: resource_missing. */
export async function updateDevice(
  tx: Tx,
  id: string,
  change: Partial<Pick<FloorDevice, "name" | "warehouse_id">>,
): Promise<FloorDeviceInUse> {
  const before = await lockDevice(tx, id);
  const { name = before.name, warehouse_id = before.warehouse_id } = change;
  if (name === before.name && warehouse_id === before.warehouse_id) return before;
  await saveDevice(tx, { ...before, name, warehouse_id });
  return getDevice(tx, before.id);
}

/**
 * Replaces the link of a device. The browser that is the device remains it until the link is opened. `random` is 32
 * random bytes. Refuses: resource_missing, invalid_state_transition.
 */
export async function linkDevice(tx: Tx, id: string, random: Uint8Array): Promise<LinkedFloorDevice> {
  const before = await lockDevice(tx, id);
  if (before.revoked_at !== null) {
    throw new Fault("invalid_state_transition", "This device was revoked. Create another one.", {
      from: statusOf(before),
      action: "link",
      allowed_actions: [],
    });
  }
  const { token, link } = newLink(tx.now, random);
  await saveDevice(tx, { ...before, ...link });
  return { device: await getDevice(tx, before.id), token };
}

/** Revokes a device and its link, and ends the session on it. Refuses: resource_missing. */
export async function revokeDevice(tx: Tx, id: string): Promise<FloorDeviceInUse> {
  const before = await lockDevice(tx, id);
  if (before.revoked_at !== null) return before;
  await endSessionsOn(tx, before.id);
  await saveDevice(tx, { ...before, hash: null, link_hash: null, link_expires_at: null, revoked_at: tx.now });
  return getDevice(tx, before.id);
}

/**
 * Makes the browser that opened a link the device of that link, instead of the browser that was it, whose session ends.
 * Returns the device with the token of the browser's cookie. `random` is 32 random bytes. Refuses: invalid_link.
 */
export async function openDeviceLink(tx: Tx, link: string, random: Uint8Array): Promise<LinkedFloorDevice> {
  const linked = await findLinkedDevice(tx, tokenHashOf(link));
  // Of two requests with the same link, the second one finds it used.
  const device = linked === null ? null : await lockDevice(tx, wireId("floor_device", linked.id));
  if (device?.link_hash !== tokenHashOf(link)) {
    throw new Fault("invalid_link", "This link is no longer valid: it was already used, or is older than 24 hours.");
  }
  const token = tokenOf(random);
  await endSessionsOn(tx, device.id);
  await saveDevice(tx, { ...device, hash: tokenHashOf(token), link_hash: null, link_expires_at: null });
  return { device: await getDevice(tx, device.id), token };
}
