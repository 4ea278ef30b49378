import { type Static, Type } from "@sinclair/typebox";
import { roles } from "../../access/role.ts";
import { mailStatuses } from "../../kit/mail.ts";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, emailField, nullable, textField } from "../../kit/schema.ts";
import { passwordField, personName } from "../schemas.ts";
import { invitationStatuses } from "./status.ts";

const moment = Type.String({ format: "date-time" });

export const CreateInvitation = closed({
  email: emailField(),
  name: Type.Optional(nullable(personName())),
  role: choice(roles, { description: "The role of the new user. It cannot have more permissions than you have." }),
});
export type CreateInvitation = Static<typeof CreateInvitation>;

export const ListInvitations = closed({
  ...pageFields,
  status: Type.Optional(choice(invitationStatuses)),
  q: Type.Optional(textField(200, { description: "Finds a piece of the name or the e-mail address." })),
});
export type ListInvitations = Static<typeof ListInvitations>;

const invitationFields = {
  id: Type.String(),
  email: Type.String(),
  name: nullable(Type.String()),
  role: choice(roles),
  status: choice(invitationStatuses),
  mail_status: { ...choice(mailStatuses), description: "Where its e-mail stands; none without a mail server." },
  invited_by: closed({ id: Type.String({ description: "`usr_1` or `key_3`." }), name: Type.String() }),
  user_id: nullable(Type.String({ description: "The user that it made." })),
  created_at: moment,
  expires_at: moment,
  accepted_at: nullable(moment),
  revoked_at: nullable(moment),
};

export const InvitationView = closed(invitationFields);

export const LinkedInvitationView = closed({
  ...invitationFields,
  link: Type.String({ description: "Accepts the invitation: valid once, for seven days. Only shown here." }),
});

export const InvitedView = closed({
  email: Type.String(),
  name: nullable(Type.String()),
  role: choice(roles),
  invited_by: Type.String({ description: "The name of the user who invites." }),
  expires_at: moment,
});

const token = Type.String({ minLength: 1, maxLength: 100, description: "The part of the link after #." });

export const LookAtInvitation = closed({ token });
export type LookAtInvitation = Static<typeof LookAtInvitation>;

export const AcceptInvitation = closed({ token, name: personName(), password: passwordField() });
export type AcceptInvitation = Static<typeof AcceptInvitation>;
