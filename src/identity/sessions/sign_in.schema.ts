import { type Static, Type } from "@sinclair/typebox";
import { environments } from "../../core/environment.ts";
import { choice, closed, emailField, nullable, timestamp } from "../../core/schema.ts";
import { allPermissions } from "../../http/auth/permissions.ts";
import { OwnDeviceView } from "../badges/floor_device.schema.ts";
import { roles } from "../users/roles.ts";
import { actingFields, MembershipView, passwordField, personName } from "../users/user.schema.ts";
import { factorStatuses } from "./second_factor.ts";

export const ConfirmFactor = closed({
  code: Type.String({
    pattern: "^[0-9]{6}$",
    hint: "must be the six digits that the app shows",
    description: "The six digits that the authenticator app shows now.",
  }),
});
export type ConfirmFactor = Static<typeof ConfirmFactor>;

export const PasswordConfirmation = closed({
  password: Type.String({ minLength: 1, maxLength: 1000, description: "Your current password." }),
});
export type PasswordConfirmation = Static<typeof PasswordConfirmation>;

export const FactorView = closed({
  status: choice(factorStatuses, { description: "`pending` until a first code confirms it; only `on` has an effect." }),
  required: Type.Boolean({
    description:
      "True for owners if other machines can reach the server: until it is set up, everything else is refused.",
  }),
  confirmed_at: nullable(timestamp("When it was turned on; null unless `on`.")),
  recovery_codes_left: Type.Integer({ minimum: 0, description: "Recovery codes that were not used yet, of ten." }),
});

export const NewFactorView = closed({
  secret: Type.String({ description: "For manual entry in an app; shown only here." }),
  address: Type.String({ description: "The content of the QR code: `otpauth://totp/…`." }),
  qr_svg: Type.String({ description: "The QR code as SVG." }),
});

export const RecoveryCodesView = closed({
  recovery_codes: Type.Array(Type.String(), {
    description: "Each signs you in once without the app. They are shown only here.",
  }),
});

export const SignIn = closed({
  email: emailField(),
  password: Type.String({ minLength: 1, maxLength: 1000 }),
  code: Type.Optional(
    Type.String({ minLength: 1, maxLength: 40, description: "The code of the second factor, if the user has one." }),
  ),
});
export type SignIn = Static<typeof SignIn>;

const token = Type.String({ minLength: 1, maxLength: 100, description: "The part of the link after #." });

export const FirstUserSetup = closed({
  token,
  email: emailField(),
  name: personName("Your full name."),
  password: passwordField(),
});
export type FirstUserSetup = Static<typeof FirstUserSetup>;

export const PasswordReset = closed({ token, password: passwordField() });
export type PasswordReset = Static<typeof PasswordReset>;

/** The signed-in user and the permissions of the user. */
export const SignedInView = closed({
  user: closed({
    id: Type.String(),
    name: Type.String(),
    email: Type.String(),
    role: choice(roles),
    second_factor: Type.Boolean({ description: "Whether each sign-in requires a code." }),
    second_factor_required: Type.Boolean({ description: "Whether everything else is refused until it is set up." }),
  }),
  permissions: Type.Array(choice(allPermissions)),
  memberships: Type.Array(MembershipView),
  merchant: actingFields.merchant,
  view_as: actingFields.view_as,
  device: nullable({
    ...OwnDeviceView,
    description: "The device of a session by badge; null for one with a password.",
  }),
  modes: Type.Array(choice(environments)),
  version: Type.String({ description: "The version of Packhouse." }),
});

export const SignedOutView = closed({ signed_out: Type.Literal(true) });

export const ResetView = closed({ reset: Type.Literal(true) });
