import { seal } from "../../core/crypto.ts";
import type { Call } from "../../http/call.ts";
import { originOf } from "../../http/origin.ts";
import { list, read, routes, write } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { directoryOf, merchantForRequest } from "../../merchants/directory.sql.ts";
import { tokenOf } from "../sessions/session.ts";
import { CreateInvitation, InvitationView, LinkedInvitationView } from "./invitation.schema.ts";
import { type Invitation, invitation_purpose, invitationLink, invitationView } from "./invitation.ts";
import { getInvitation, invitationList } from "./invitations.sql.ts";
import { invite, type NewInvitationLink, resendInvitation, revokeInvitation } from "./invitations.ts";
import type { MerchantsById } from "./user.ts";

const token_bytes = 32;
const code_bytes = 16;

/** The routes of invitations. */
export const invitationRoutes = (service: Service) =>
  routes("Users", [
    write("POST", "/invitations", "users.manage", {
      id: "createInvitation",
      summary: "Invite a user",
      description:
        "The link is emailed if a mail server and a public base URL are configured, and only this response shows it." +
        " `proof` tells which link can create an account; existing users join with `POST /users/me/memberships`. An" +
        " address can have one open invitation to the operator and one to each merchant.",
      refuses: ["duplicate_email", "merchant_closed"],
      body: CreateInvitation,
      view: LinkedInvitationView,
      status: 201,
      secret_key: service.secret_key,
      prepare: async ({ call, body }) => {
        const merchant_id = (await merchantForRequest(call, body.merchant_id)) ?? null;
        return { merchant_id, ...(await newLink(call, service)) };
      },
      act: async (tx, { call, body, prepared: { merchant_id, ...link } }) =>
        linkedView(await invite(tx, { ...body, merchant_id }, call, link), tx.now, link),
    }),
    list("/invitations", "users.manage", {
      id: "listInvitations",
      summary: "List invitations",
      description:
        "Open, accepted, revoked and expired invitations. A merchant's users see only those to their own merchant." +
        " Links are not shown: resend an invitation to get a new one.",
      of: invitationList,
      view: InvitationView,
      prepare: ({ call }) => directoryOf(call.store).now(),
      views: (invitations, { now }, { prepared }) => invitations.map((one) => invitationView(one, now, prepared)),
    }),
    read("/invitations/:id", "users.manage", {
      id: "getInvitation",
      summary: "Get an invitation",
      description: "Shows whether it was accepted and by which user, and whether its email was sent.",
      view: InvitationView,
      prepare: ({ call }) => directoryOf(call.store).now(),
      data: async (db, { params, prepared }) => invitationView(await getInvitation(db, params.id), db.now, prepared),
    }),
    write("POST", "/invitations/:id/resend", "users.manage", {
      id: "resendInvitation",
      summary: "Resend an invitation with a new link",
      description:
        "Makes a new link, valid for seven days, and emails it if a mail server is configured. The old link stops" +
        " working. Expired invitations can be resent too.",
      refuses: ["invalid_state_transition"],
      view: LinkedInvitationView,
      secret_key: service.secret_key,
      prepare: ({ call }) => newLink(call, service),
      act: async (tx, { call, params, prepared: link }) =>
        linkedView(await resendInvitation(tx, params.id, call.granted, link), tx.now, link),
    }),
    write("POST", "/invitations/:id/revoke", "users.manage", {
      id: "revokeInvitation",
      summary: "Revoke an invitation",
      description:
        "Its link stops working immediately, and an email that was not sent yet is withdrawn. The address can be" +
        " invited again. An accepted invitation cannot be revoked: disable the user instead.",
      refuses: ["invalid_state_transition"],
      view: InvitationView,
      prepare: ({ call }) => directoryOf(call.store).now(),
      act: async (tx, { call, params, prepared }) =>
        invitationView(await revokeInvitation(tx, params.id, call.granted), tx.now, prepared),
    }),
  ]);

/** A new link of an invitation: the text that the inviter sees, and the merchants to show it with. */
interface ShownInvitationLink extends NewInvitationLink {
  readonly url: string;
  readonly merchants: MerchantsById;
}

async function newLink(call: Call, { mail, secret_key }: Service): Promise<ShownInvitationLink> {
  const token = tokenOf(crypto.getRandomValues(new Uint8Array(token_bytes)));
  const origin = originOf(call);
  const url = invitationLink(origin, token);
  // An emailed link needs an absolute URL. Only it proves the address, because the inviter sees the other link.
  const is_mailed = mail !== null && origin !== "";
  const code = is_mailed ? tokenOf(crypto.getRandomValues(new Uint8Array(code_bytes))) : null;
  const mail_link = code === null ? null : seal(`${url}.${code}`, secret_key, invitation_purpose);
  const needs_proof = is_mailed || call.merchant_id !== null;
  return { url, token, mail_link, needs_proof, code, merchants: await directoryOf(call.store).now() };
}

/** An invitation with its new link. The response that is stored for replays is encrypted. */
const linkedView = (invitation: Invitation, now: number, { url, merchants }: ShownInvitationLink) => ({
  ...invitationView(invitation, now, merchants),
  link: url,
});
