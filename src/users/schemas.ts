import { type Static, Type } from "@sinclair/typebox";
import { allPermissions } from "../access/permission.ts";
import { roles } from "../access/role.ts";
import { pageFields } from "../kit/page.ts";
import { choice, closed, nameField, nullable, textField } from "../kit/schema.ts";
import { actingFields, MembershipView, memberOf } from "./membership_schemas.ts";
import { password_max, password_min } from "./rules.ts";
import { userStatuses } from "./status.ts";

const moment = Type.String({ format: "date-time" });

/** A password that is chosen. */
export const passwordField = () =>
  Type.String({
    minLength: password_min,
    maxLength: password_max,
    description: `${password_min} to ${password_max} characters, any of them. Common ones are refused.`,
  });

/** What a person is called. */
export const personName = () => nameField(100);

export const UpdateUser = closed(
  {
    name: Type.Optional(personName()),
    role: Type.Optional(choice(roles)),
    status: Type.Optional(
      choice(userStatuses, {
        description: "A disabled user is signed out at once. With `merchant_id`: of that membership alone.",
      }),
    ),
    merchant_id: memberOf,
  },
  [
    ...["id", "email", "memberships", "version", "second_factor", "last_sign_in_at", "last_seen_at"],
    ...["created_at", "updated_at"],
  ],
);
export type UpdateUser = Static<typeof UpdateUser>;

export const UpdateMe = closed({ name: Type.Optional(personName()) }, [
  ...["id", "email", "role", "status", "memberships", "version", "second_factor", "last_sign_in_at", "last_seen_at"],
  ...["created_at", "updated_at", "current", "merchant", "view_as"],
]);
export type UpdateMe = Static<typeof UpdateMe>;

export const ChangePassword = closed({
  current_password: Type.String({ minLength: 1, maxLength: 1000 }),
  password: passwordField(),
});
export type ChangePassword = Static<typeof ChangePassword>;

export const ListUsers = closed({
  ...pageFields,
  status: Type.Optional(choice(userStatuses)),
  role: Type.Optional(choice(roles)),
  q: Type.Optional(textField(200, { description: "Finds a piece of the name or the e-mail address." })),
});
export type ListUsers = Static<typeof ListUsers>;

const userFields = {
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: choice(roles, {
    description: "That in the house; of who is no member of it, that at the first merchant. `memberships` has all.",
  }),
  status: choice(userStatuses),
  memberships: Type.Array(MembershipView, {
    description: "That of the house first. A merchant's people see the membership at their own merchant alone.",
  }),
  second_factor: Type.Boolean({ description: "Whether a code is asked for at each sign-in." }),
  last_sign_in_at: nullable(moment),
  last_seen_at: nullable(Type.String({ format: "date-time", description: "To five minutes." })),
  created_at: moment,
  updated_at: moment,
  version: Type.Integer(),
};

export const UserView = closed(userFields);

export const MeView = closed({ ...userFields, ...actingFields });

const rolePermissions = Type.Array(closed({ name: choice(allPermissions), description: Type.String() }, []));

export const RoleView = closed({
  name: choice(roles),
  description: Type.String(),
  permissions: rolePermissions,
  merchant: nullable(closed({ description: Type.String(), permissions: rolePermissions })),
});

export const SessionView = closed({
  id: Type.String(),
  current: Type.Boolean({ description: "Whether it is the session of this request." }),
  ip: nullable(Type.String({ description: "From where it was begun." })),
  user_agent: nullable(Type.String({ description: "The `User-Agent` of the browser." })),
  created_at: moment,
  last_seen_at: Type.String({ format: "date-time", description: "To five minutes." }),
  expires_at: moment,
});
