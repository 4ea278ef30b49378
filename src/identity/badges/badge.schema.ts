import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable, timestamp } from "../../core/schema.ts";
import { pinStatuses } from "../identity.transitions.ts";
import { pin_max, pin_min } from "./badge.ts";
import { OwnDeviceView } from "./floor_device.schema.ts";

const pinField = (description: string) =>
  Type.String({
    pattern: `^[0-9]{${pin_min},${pin_max}}$`,
    hint: `must have ${pin_min} to ${pin_max} digits`,
    description,
  });

const chosen = `${pin_min} to ${pin_max} digits. Runs and repeated digits are refused.`;

export const SetPin = closed({ pin: pinField(`The temporary PIN: ${chosen}`) });

export const SetOwnPin = closed({
  pin: pinField(`Your new PIN: ${chosen}`),
  current_password: Type.String({ minLength: 1, maxLength: 1000, description: "Your password." }),
});
export type SetOwnPin = Static<typeof SetOwnPin>;

const badgeFields = {
  badge_made_at: nullable(timestamp("When the badge was made; null without a badge.")),
  pin: choice(pinStatuses, {
    description: "`temporary`: an administrator chose it, and the user has to choose another one at the next sign-in.",
  }),
  locked_until: nullable(timestamp("Until when the badge is locked after five wrong PINs; null if it is not.")),
};

export const BadgeView = closed(badgeFields);

export const NewBadgeView = closed({
  ...badgeFields,
  code: Type.String({ description: "The code of the badge. It is shown only here." }),
  barcode_svg: Type.String({ description: "The code as a Code 128 barcode (SVG), to print." }),
});

export const OpenDeviceLink = closed({
  token: Type.String({ minLength: 1, maxLength: 100, description: "The part of the link after #." }),
});
export type OpenDeviceLink = Static<typeof OpenDeviceLink>;

export const ThisDeviceView = closed({
  device: nullable({ ...OwnDeviceView, description: "The device that this browser is; null for other browsers." }),
});

export const BadgeSignIn = closed({
  badge: Type.String({ minLength: 1, maxLength: 100, description: "The code on the badge." }),
  pin: Type.String({ minLength: 1, maxLength: 20 }),
  new_pin: Type.Optional(pinField(`The user's own PIN, instead of a temporary one: ${chosen}`)),
});
export type BadgeSignIn = Static<typeof BadgeSignIn>;
