import type { Call } from "../../http/call.ts";
import { originOf } from "../../http/origin.ts";
import { tagged } from "../../http/preconditions.ts";
import { list, read, routes, write } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { warehouseNamed } from "../../inventory/warehouses/warehouses.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { CreateFloorDevice, FloorDeviceView, LinkedFloorDeviceView, UpdateFloorDevice } from "./floor_device.schema.ts";
import { deviceLink, deviceView, type FloorDeviceInUse } from "./floor_device.ts";
import { deviceList, getDevice, lockDevice } from "./floor_devices.sql.ts";
import { createDevice, linkDevice, revokeDevice, updateDevice } from "./floor_devices.ts";

const token_bytes = 32;
const randomBytes = () => crypto.getRandomValues(new Uint8Array(token_bytes));

/** The routes of the devices on which users sign in by badge. They are the same for live and test. */
export const floorDeviceRoutes = (service: Service) =>
  routes("Users", [...recordRows(service), ...changeRows(service)]);

const recordRows = ({ secret_key }: Service) => [
  list("/floor_devices", "floor.manage", {
    id: "listFloorDevices",
    summary: "List floor devices",
    description:
      "The devices on which users may sign in by badge, including revoked ones. `used_by` is who is signed in now.",
    live_only: true,
    of: deviceList,
    view: FloorDeviceView,
    views: (devices, { now }) => devices.map((device) => deviceView(device, now)),
  }),
  write("POST", "/floor_devices", "floor.manage", {
    id: "createFloorDevice",
    summary: "Allow a device for sign-in by badge",
    description:
      "Open the link in the device's browser, or scan its QR code there. Only this response contains it. It works" +
      " once, within a day.",
    live_only: true,
    refuses: ["resource_missing"],
    body: CreateFloorDevice,
    view: LinkedFloorDeviceView,
    status: 201,
    secret_key,
    act: async (tx, { call, body: { name, warehouse_id: named } }) => {
      const warehouse_id = await warehouseNamed(tx, named, "warehouse_id");
      return linkedAnswer(tx, call, await createDevice(tx, { name, warehouse_id }, randomBytes()));
    },
  }),
  read("/floor_devices/:id", "floor.manage", {
    id: "getFloorDevice",
    summary: "Get a floor device",
    description: "Shows whether its link was opened, when somebody last signed in on it, and who is signed in now.",
    live_only: true,
    view: FloorDeviceView,
    data: async (db, { params }) => answer(db, await getDevice(db, params.id)),
  }),
];

const changeRows = ({ secret_key }: Service) => [
  write("PATCH", "/floor_devices/:id", "floor.manage", {
    id: "updateFloorDevice",
    summary: "Update the name or the warehouse of a floor device",
    description: "The user who is signed in on it stays signed in.",
    live_only: true,
    body: UpdateFloorDevice,
    view: FloorDeviceView,
    matches: lockedAnswer,
    act: async (tx, { params, body: { name, warehouse_id: named } }) =>
      answer(
        tx,
        await updateDevice(tx, params.id, {
          ...(name !== undefined && { name }),
          ...(named !== undefined && { warehouse_id: await warehouseNamed(tx, named, "warehouse_id") }),
        }),
      ),
  }),
  write("POST", "/floor_devices/:id/link", "floor.manage", {
    id: "linkFloorDevice",
    summary: "Make a new link of a floor device",
    description:
      "For a device whose browser has lost its cookies, or that is replaced. The old link stops working. Once the" +
      " new one is opened, the browser that was the device is no longer allowed.",
    live_only: true,
    refuses: ["invalid_state_transition"],
    view: LinkedFloorDeviceView,
    secret_key,
    matches: lockedAnswer,
    act: async (tx, { call, params }) => linkedAnswer(tx, call, await linkDevice(tx, params.id, randomBytes())),
  }),
  write("POST", "/floor_devices/:id/revoke", "floor.manage", {
    id: "revokeFloorDevice",
    summary: "Revoke a floor device",
    description:
      "The session on it ends at once, and nobody can sign in on it by badge again. Revoking a revoked device" +
      " changes nothing.",
    live_only: true,
    view: FloorDeviceView,
    matches: lockedAnswer,
    act: async (tx, { params }) => answer(tx, await revokeDevice(tx, params.id)),
  }),
];

/** The tagged view of one device: sign-ins and the clock change it without a new revision. */
function answer({ now }: Db, device: FloorDeviceInUse) {
  const view = deviceView(device, now);
  return tagged(view, device.revision, view);
}

async function lockedAnswer(tx: Tx, { params }: { readonly params: { readonly id: string } }) {
  return answer(tx, await lockDevice(tx, params.id));
}

/** As `answer`, with the link. The response that is stored for replays is encrypted. */
function linkedAnswer(
  { now }: Tx,
  call: Call,
  { device, token }: { readonly device: FloorDeviceInUse; readonly token: string },
) {
  const view = deviceView(device, now);
  return tagged({ ...view, ...deviceLink(originOf(call), token) }, device.revision, view);
}
