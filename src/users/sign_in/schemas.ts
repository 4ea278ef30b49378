import { type Static, Type } from "@sinclair/typebox";
import { allPermissions } from "../../access/permission.ts";
import { roles } from "../../access/role.ts";
import { modes } from "../../kit/mode.ts";
import { choice, closed, emailField } from "../../kit/schema.ts";
import { actingFields, MembershipView } from "../membership_schemas.ts";
import { passwordField, personName } from "../schemas.ts";

export const SignIn = closed({
  email: emailField(),
  password: Type.String({ minLength: 1, maxLength: 1000 }),
  code: Type.Optional(
    Type.String({ minLength: 1, maxLength: 40, description: "The code of the second factor, if the user has one." }),
  ),
});
export type SignIn = Static<typeof SignIn>;

const token = Type.String({ minLength: 1, maxLength: 100, description: "The part of the link after #." });

export const Setup = closed({ token, email: emailField(), name: personName(), password: passwordField() });
export type Setup = Static<typeof Setup>;

export const Reset = closed({ token, password: passwordField() });
export type Reset = Static<typeof Reset>;

/** The signed-in user and the permissions of the user. */
export const SignedInView = closed({
  user: closed({
    id: Type.String(),
    name: Type.String(),
    email: Type.String(),
    role: choice(roles),
    second_factor: Type.Boolean({ description: "Whether a code is asked for at each sign-in." }),
    second_factor_required: Type.Boolean({ description: "Whether everything else is refused until one is set up." }),
  }),
  permissions: Type.Array(choice(allPermissions)),
  memberships: Type.Array(MembershipView),
  merchant: actingFields.merchant,
  view_as: actingFields.view_as,
  worlds: Type.Array(choice(modes)),
  version: Type.String({ description: "Of the program." }),
});

export const SignedOutView = closed({ signed_out: Type.Literal(true) });

export const ResetView = closed({ reset: Type.Literal(true) });
