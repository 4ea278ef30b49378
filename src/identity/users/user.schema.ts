import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nameField, nullable, Timestamp, timestamp } from "../../core/schema.ts";
import { allPermissions } from "../../http/auth/permissions.ts";
import { merchantName } from "../../storage/tenant.schema.ts";
import { shownCovers, userStatuses } from "../identity.transitions.ts";
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
  code: Type.String({ description: "The merchant's code, such as `ACME`, which can replace its id in requests." }),
  name: Type.String({ description: "The merchant's name." }),
  color: nullable(Type.String({ description: "The color that marks the merchant in the dashboard; null for none." })),
};

export const MerchantBriefView = closed(brief);

export const MembershipView = closed({
  covers: choice(shownCovers, {
    description: "`operator`: the operator, with all merchants; `merchant`: one merchant.",
  }),
  merchant_id: nullable(Type.String({ description: "The merchant, such as `mer_2`; null for the operator." })),
  merchant: nullable({ ...MerchantBriefView, description: "That merchant; null for the operator." }),
  role: choice(roles, { description: "What the user may do there. `GET /roles` lists the permissions." }),
  status: choice(userStatuses, { description: "Whether the user can use this membership." }),
});

/** The active membership of a user. */
export const actingFields = {
  current: { ...MembershipView, description: "The membership that this session uses." },
  merchant: nullable({
    ...closed({
      ...brief,
      status: Type.String({ description: "`active`, or `suspended`: its users can then only read and create orders." }),
      may_buy_labels: Type.Boolean({ description: "Whether its users and keys may buy shipping labels." }),
    }),
    description: "The merchant whose records the session sees; null for those of all merchants.",
  }),
  view_as: nullable({
    ...MerchantBriefView,
    description: "The merchant that one of the operator's users views as; null without such a view.",
  }),
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
export const personName = (description: string) => nameField(100, { description });

const name_text = "The person's full name.";

export const UpdateUser = closed(
  {
    name: Type.Optional(personName(name_text)),
    role: Type.Optional(choice(roles, { description: "The new role, with no more permissions than you have." })),
    status: Type.Optional(
      choice(userStatuses, {
        description:
          "A disabled user is signed out immediately. With `merchant_id`, the status of that membership only.",
      }),
    ),
    merchant_id: Type.Optional(
      nullable(merchantName("The membership to change: at this merchant, or null for that with the operator.")),
    ),
  },
  [
    ...["id", "email", "memberships", "revision", "second_factor", "last_sign_in_at", "last_seen_at"],
    ...["created_at", "updated_at"],
  ],
);
export type UpdateUser = Static<typeof UpdateUser>;

export const UpdateMe = closed({ name: Type.Optional(personName("Your full name.")) }, [
  ...["id", "email", "role", "status", "memberships", "revision", "second_factor", "last_sign_in_at", "last_seen_at"],
  ...["created_at", "updated_at", "current", "merchant", "view_as"],
]);
export type UpdateMe = Static<typeof UpdateMe>;

export const ChangePassword = closed({
  current_password: Type.String({ minLength: 1, maxLength: 1000, description: "The password that you have now." }),
  password: passwordField(),
});
export type ChangePassword = Static<typeof ChangePassword>;

const userFields = {
  id: Type.String(),
  email: Type.String({ description: "The address with which the user signs in; unique." }),
  name: Type.String({ description: name_text }),
  role: choice(roles, {
    description:
      "The role with the operator; for users of merchants, at the first merchant. `memberships` has all roles.",
  }),
  status: choice(userStatuses, { description: "A `disabled` user cannot sign in anywhere." }),
  memberships: Type.Array(MembershipView, {
    description: "The one with the operator first. A merchant's users see only memberships at their own merchant.",
  }),
  second_factor: Type.Boolean({ description: "Whether each sign-in requires a code." }),
  last_sign_in_at: nullable(timestamp("When the user last signed in; null if never.")),
  last_seen_at: nullable(timestamp("When the user last used the service, accurate to five minutes; null if never.")),
  created_at: Timestamp,
  updated_at: Timestamp,
  revision: Type.Integer(),
};

export const UserView = closed(userFields);

export const MeView = closed({ ...userFields, ...actingFields });

const rolePermissions = (description: string) =>
  Type.Array(
    closed({
      name: choice(allPermissions, { description: "As `x-permission` of each operation names it." }),
      description: Type.String({ description: "What it allows." }),
    }),
    { description },
  );

export const RoleView = closed({
  name: choice(roles, { description: "The role, as memberships and invitations name it." }),
  description: Type.String({ description: "Who it is for, and what it allows." }),
  permissions: rolePermissions("The permissions of the role with the operator; for a merchant's users, at a merchant."),
  merchant: nullable({
    ...closed({
      description: Type.String({ description: "What the role allows at a merchant." }),
      permissions: rolePermissions("Its permissions there."),
    }),
    description: "The role at a merchant; null if it exists only with the operator.",
  }),
});

export const SessionView = closed({
  id: Type.String(),
  current: Type.Boolean({ description: "Whether it is the session of this request." }),
  device: nullable({
    ...closed({ id: Type.String(), name: Type.String({ description: "The name of the floor device." }) }),
    description: "The device on which the user signed in by badge; null for a sign-in with a password.",
  }),
  ip: nullable(Type.String({ description: "The IP address that signed in; null if unknown." })),
  user_agent: nullable(Type.String({ description: "The `User-Agent` of the browser; null if it sent none." })),
  created_at: timestamp("When the user signed in."),
  last_seen_at: timestamp("When it was last used, accurate to five minutes."),
  expires_at: timestamp("When the user has to sign in again: 30 days after signing in, 12 hours by badge."),
});
