import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nameField, nullable, Timestamp } from "../../core/schema.ts";
import { allPermissions } from "../../http/auth/permissions.ts";
import { merchantName } from "../../storage/tenant.schema.ts";
import { covers, userStatuses } from "../identity.transitions.ts";
import { roles } from "./roles.ts";
import { password_max, password_min } from "./user.ts";

/** The membership that a request applies to: at a merchant, or with the operator. */
export const memberOf = Type.Optional(
  nullable(
    merchantName(
      "The merchant, by id or code; null for the operator. A merchant's users leave it out: it is always their own.",
    ),
  ),
);

const brief = {
  id: Type.String(),
  code: Type.String(),
  name: Type.String(),
  colour: nullable(Type.String()),
};

export const MerchantBriefView = closed(brief);

export const MembershipView = closed({
  covers: choice(covers),
  merchant_id: nullable(Type.String({ description: "The merchant, such as `mer_2`; null for the operator." })),
  merchant: nullable(MerchantBriefView),
  role: choice(roles),
  status: choice(userStatuses, { description: "The status of this membership." }),
});

/** The active membership of a user. */
export const actingFields = {
  current: MembershipView,
  merchant: nullable(
    closed({
      ...brief,
      status: Type.String({ description: "`active`, or `suspended`: its users can then only read and create orders." }),
      may_buy_labels: Type.Boolean(),
    }),
  ),
  view_as: nullable(MerchantBriefView),
};

export const ChooseMembership = closed({
  merchant: nullable(merchantName("A merchant that you belong to, by id or code; null for the operator.")),
});
export type ChooseMembership = Static<typeof ChooseMembership>;

export const JoinMembership = closed({
  token: Type.String({ minLength: 1, maxLength: 100, description: "The part of the invitation's link after #." }),
});
export type JoinMembership = Static<typeof JoinMembership>;

export const ViewAs = closed({ merchant_id: merchantName("The merchant, by id or code.") });
export type ViewAs = Static<typeof ViewAs>;

/** A new password. */
export const passwordField = () =>
  Type.String({
    minLength: password_min,
    maxLength: password_max,
    description: `${password_min} to ${password_max} characters. Common passwords are refused.`,
  });

/** A person's name. */
export const personName = () => nameField(100);

export const UpdateUser = closed(
  {
    name: Type.Optional(personName()),
    role: Type.Optional(choice(roles)),
    status: Type.Optional(
      choice(userStatuses, {
        description:
          "A disabled user is signed out immediately. With `merchant_id`, the status of that membership only.",
      }),
    ),
    merchant_id: memberOf,
  },
  [
    ...["id", "email", "memberships", "revision", "second_factor", "last_sign_in_at", "last_seen_at"],
    ...["created_at", "updated_at"],
  ],
);
export type UpdateUser = Static<typeof UpdateUser>;

export const UpdateMe = closed({ name: Type.Optional(personName()) }, [
  ...["id", "email", "role", "status", "memberships", "revision", "second_factor", "last_sign_in_at", "last_seen_at"],
  ...["created_at", "updated_at", "current", "merchant", "view_as"],
]);
export type UpdateMe = Static<typeof UpdateMe>;

export const ChangePassword = closed({
  current_password: Type.String({ minLength: 1, maxLength: 1000 }),
  password: passwordField(),
});
export type ChangePassword = Static<typeof ChangePassword>;

const userFields = {
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: choice(roles, {
    description:
      "The role with the operator; for users of merchants, at the first merchant. `memberships` has all roles.",
  }),
  status: choice(userStatuses),
  memberships: Type.Array(MembershipView, {
    description: "The one with the operator first. A merchant's users see only memberships at their own merchant.",
  }),
  second_factor: Type.Boolean({ description: "Whether each sign-in requires a code." }),
  last_sign_in_at: nullable(Timestamp),
  last_seen_at: nullable(Type.String({ format: "date-time", description: "Accurate to five minutes." })),
  created_at: Timestamp,
  updated_at: Timestamp,
  revision: Type.Integer(),
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
  ip: nullable(Type.String({ description: "The IP address that signed in." })),
  user_agent: nullable(Type.String({ description: "The `User-Agent` of the browser." })),
  created_at: Timestamp,
  last_seen_at: Type.String({ format: "date-time", description: "Accurate to five minutes." }),
  expires_at: Timestamp,
});
