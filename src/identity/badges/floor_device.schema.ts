import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, idField, nameField, nullable, Timestamp, timestamp } from "../../core/schema.ts";
import { floorDeviceStatuses } from "../identity.transitions.ts";

const name_max = 60;
const name = nameField(name_max, { description: "What people call it, such as `Scanner 4`." });
const warehouse = idField("warehouse", "The warehouse where it is used. Required for a new one if there are several.");
const read_only: readonly string[] = [
  ...["id", "status", "link_expires_at", "used_by", "last_used_at", "revoked_at", "created_at", "updated_at"],
  "revision",
];

export const CreateFloorDevice = closed({ name, warehouse_id: Type.Optional(warehouse) });

export const UpdateFloorDevice = closed(
  { name: Type.Optional(name), warehouse_id: Type.Optional(warehouse) },
  read_only,
);
export type UpdateFloorDevice = Static<typeof UpdateFloorDevice>;

const deviceFields = {
  id: Type.String({ description: "The device, such as `fdv_1001`." }),
  name,
  warehouse_id: Type.String({ description: "The warehouse where it is used, in the live environment." }),
  status: choice(floorDeviceStatuses, {
    description: "`unopened` until its first link is opened. Users can sign in by badge while it is `active`.",
  }),
  link_expires_at: nullable(timestamp("Until when its link can be opened; null without a link that still works.")),
  used_by: nullable({
    ...closed({ id: Type.String(), name: Type.String({ description: "The user's name." }) }),
    description: "The user who is signed in on it by badge; null if nobody is.",
  }),
  last_used_at: nullable(timestamp("The last sign-in by badge; null if there was none.")),
  revoked_at: nullable(timestamp("When it was revoked; null if it was not.")),
  created_at: Timestamp,
  updated_at: Timestamp,
  revision: Type.Integer(),
};

export const FloorDeviceView = closed(deviceFields);

export const LinkedFloorDeviceView = closed({
  ...deviceFields,
  link: Type.String({ description: "Opened in a browser, once and within a day, it makes that browser this device." }),
  link_qr_svg: nullable(
    Type.String({ description: "The link as a QR code (SVG); null if the server does not know its own address." }),
  ),
});

/** The device as people on it see it. */
export const OwnDeviceView = closed({
  id: Type.String(),
  name: Type.String(),
  warehouse_id: Type.String(),
});
