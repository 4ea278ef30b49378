import { type Static, Type } from "@sinclair/typebox";
import { mailStatuses } from "../../core/email.ts";
import { choice, closed, emailField, nullable, Timestamp, timestamp } from "../../core/schema.ts";
import { invitationProofs, invitationStatuses } from "../identity.transitions.ts";
import { roles } from "./roles.ts";
import { MembershipView, MerchantBriefView, memberOf, passwordField, personName } from "./user.schema.ts";

export const CreateInvitation = closed({
  email: { ...emailField(), description: "The address to invite, with which the person will sign in." },
  name: Type.Optional(nullable(personName("The person's name, which the form to accept suggests."))),
  merchant_id: memberOf,
  role: choice(roles, {
    description:
      "The role of the new member. It cannot have more permissions than you have; at a merchant not `floor`.",
  }),
});
export type CreateInvitation = Static<typeof CreateInvitation>;

const invitationFields = {
  id: Type.String(),
  email: Type.String(),
  name: nullable(Type.String({ description: "The name that the inviter gave; null if none." })),
  merchant_id: nullable(Type.String({ description: "The merchant that it is for; null for the operator." })),
  merchant: nullable({ ...MerchantBriefView, description: "That merchant; null for the operator." }),
  role: choice(roles, { description: "The role that it grants." }),
  memberships: Type.Array(MembershipView, { description: "The membership that it grants, as users show theirs." }),
  status: choice(invitationStatuses, {
    description: "Only the link of an `open` one works; an `expired` one can be resent.",
  }),
  mail_status: { ...choice(mailStatuses), description: "The status of its email; `none` without a mail server." },
  proof: {
    ...choice(invitationProofs),
    description:
      "The link that a new user needs: `none`, the one that was shown; `email`, the one in the email; `operator`, one" +
      " from the operator, who sends the invitation again.",
  },
  invited_by: {
    ...closed({
      id: Type.String({ description: "A user or an API key: `usr_1`, `key_3`." }),
      name: Type.String({ description: "The inviter's name at that time." }),
    }),
    description: "Who created it.",
  },
  user_id: nullable(Type.String({ description: "The user who accepted it; null until then." })),
  created_at: Timestamp,
  expires_at: timestamp("When its link stops working: seven days after it was last sent."),
  accepted_at: nullable(timestamp("When it was accepted; null until then.")),
  revoked_at: nullable(
    timestamp("When it was revoked, by a user or by a new invitation of the same address; else null."),
  ),
};

export const InvitationView = closed(invitationFields);

export const LinkedInvitationView = closed({
  ...invitationFields,
  link: Type.String({ description: "The link that accepts the invitation once, within seven days. Shown only here." }),
});

export const InvitedView = closed({
  email: Type.String(),
  name: nullable(Type.String()),
  role: choice(roles),
  merchant: nullable(MerchantBriefView),
  invited_by: Type.String({ description: "The name of the user who invites." }),
  proof: choice(invitationProofs),
  existing_user: nullable(
    Type.Boolean({
      description:
        "Whether the address belongs to a user, who signs in and joins with `POST /v1/users/me/memberships`; null if" +
        " the link does not prove the address.",
    }),
  ),
  expires_at: Timestamp,
});

const token = Type.String({ minLength: 1, maxLength: 100, description: "The part of the link after #." });

export const LookAtInvitation = closed({ token });
export type LookAtInvitation = Static<typeof LookAtInvitation>;

export const AcceptInvitation = closed({ token, name: personName("Your full name."), password: passwordField() });
export type AcceptInvitation = Static<typeof AcceptInvitation>;
