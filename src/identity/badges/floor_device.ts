import { renderSVG } from "uqr";
import { iso, isoOrNull } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { day_ms } from "../../core/time.ts";
import type { FloorDeviceStatus } from "../identity.transitions.ts";

/** A device on which users may sign in by badge. */
export interface FloorDevice {
  readonly id: number;
  readonly name: string;
  readonly warehouse_id: number;
  /** The hash of its browser's cookie; null until its first link is opened, and once it is revoked. */
  readonly hash: string | null;
  /** The hash of its link; null once it is opened. */
  readonly link_hash: string | null;
  readonly link_expires_at: number | null;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A device with the user who is signed in on it by badge, or null. */
export interface FloorDeviceInUse extends FloorDevice {
  readonly used_by: { readonly id: number; readonly name: string } | null;
}

/** How long the link of a device is valid. */
export const device_link_ms = day_ms;

/** The cookie that makes a browser a device. Browsers keep cookies for at most 400 days; each sign-in renews it. */
export const device_cookie = { name: "device", lasts_ms: 400 * day_ms } as const;

/** The link that makes a browser a device. The part after # is never sent to a server or written to a log. */
export function deviceLink(origin: string, token: string) {
  const link = `${origin}/dashboard/device#${token}`;
  return { link, link_qr_svg: origin === "" ? null : renderSVG(link) };
}

/** The status of a device. */
export function statusOf({ hash, revoked_at }: Pick<FloorDevice, "hash" | "revoked_at">): FloorDeviceStatus {
  if (revoked_at !== null) return "revoked";
  return hash === null ? "unopened" : "active";
}

/** The device as the API shows it. */
export function deviceView(device: FloorDeviceInUse, now: number) {
  const { used_by, link_expires_at } = device;
  const is_open = link_expires_at !== null && link_expires_at > now;
  return {
    id: wireId("floor_device", device.id),
    name: device.name,
    warehouse_id: wireId("warehouse", device.warehouse_id),
    status: statusOf(device),
    link_expires_at: is_open ? iso(link_expires_at) : null,
    used_by: used_by === null ? null : { id: wireId("user", used_by.id), name: used_by.name },
    last_used_at: isoOrNull(device.last_used_at),
    revoked_at: isoOrNull(device.revoked_at),
    created_at: iso(device.created_at),
    updated_at: iso(device.updated_at),
    revision: device.revision,
  };
}

/** The device as people on it see it. */
export const ownDeviceView = ({ id, name, warehouse_id }: Pick<FloorDevice, "id" | "name" | "warehouse_id">) => ({
  id: wireId("floor_device", id),
  name,
  warehouse_id: wireId("warehouse", warehouse_id),
});
