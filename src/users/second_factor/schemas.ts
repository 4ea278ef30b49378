import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable } from "../../kit/schema.ts";
import { factorStatuses } from "./factor.ts";

export const ConfirmFactor = closed({
  code: Type.String({ pattern: "^[0-9]{6}$", hint: "must be the six digits that the app shows now" }),
});
export type ConfirmFactor = Static<typeof ConfirmFactor>;

export const WithPassword = closed({
  password: Type.String({ minLength: 1, maxLength: 1000, description: "Your own, once more." }),
});
export type WithPassword = Static<typeof WithPassword>;

export const FactorView = closed({
  status: choice(factorStatuses, { description: "`pending` until a first code was shown." }),
  required: Type.Boolean({
    description: "True for owners where the service is reached from other machines: nothing else can be done without.",
  }),
  confirmed_at: nullable(Type.String({ format: "date-time" })),
  recovery_codes_left: Type.Integer({ minimum: 0 }),
});

export const NewFactorView = closed({
  secret: Type.String({ description: "For apps that take it by hand; shown only here." }),
  address: Type.String({ description: "What the QR code says: `otpauth://totp/…`." }),
  qr_svg: Type.String({ description: "The QR code, as a picture in SVG." }),
});

export const RecoveryCodesView = closed({
  recovery_codes: Type.Array(Type.String(), {
    description: "Each signs you in once without the app. They are shown only here.",
  }),
});
