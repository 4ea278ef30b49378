import { Elysia } from "elysia";
import { seal } from "../../core/crypto.ts";
import { bodyOf, queryOf } from "../../core/schema.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, enveloped, ListView } from "../../http/envelope.ts";
import { originOf } from "../../http/origin.ts";
import { answerList } from "../../http/pagination.ts";
import { answerRead, answerWrite } from "../../http/response.ts";
import { documentedAs } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import { directoryOf, merchantForRequest } from "../../merchants/directory.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { tokenOf } from "../sessions/session.ts";
import { CreateInvitation, InvitationView, LinkedInvitationView, ListInvitations } from "./invitation.schema.ts";
import { type Invitation, invitation_purpose, invitationLink, invitationView } from "./invitation.ts";
import { countInvitations, getInvitation, listInvitations } from "./invitations.sql.ts";
import { invite, type NewInvitationLink, resendInvitation, revokeInvitation } from "./invitations.ts";

const token_bytes = 32;
const code_bytes = 16;

const managing = documentedAs({ needs: "users.manage", chapter: "Users" });

/** The routes of invitations. */
export const invitationRoutes = (service: Service) =>
  new Elysia({ prefix: "/invitations" })
    .use(conventions)
    .post("", ({ call, body }) => create(call, body, service), {
      body: bodyOf(CreateInvitation),
      detail: managing({
        id: "createInvitation",
        summary: "Invite a user",
        description:
          "Only this response contains the link. With a mail server and a public base URL, the link is also emailed." +
          " You cannot invite to a role with more permissions than your own. An email address can have one open" +
          " invitation to the operator and one to each merchant. Existing users accept with" +
          " `POST /users/me/memberships`. With a mail server and a public base URL, only the emailed link can create" +
          " an account, because it proves the address. Otherwise the link of a merchant's invitation cannot create an" +
          " account until the operator has sent the invitation again and handed over the new link.",
        answers: { 201: EnvelopedView(LinkedInvitationView) },
        refuses: ["duplicate_email", "merchant_closed"],
      }),
    })
    .get("", ({ call, query }) => list(call, query), {
      query: queryOf(ListInvitations),
      detail: managing({
        id: "listInvitations",
        summary: "List invitations",
        answers: { 200: ListView(InvitationView) },
      }),
    })
    .get("/:id", ({ call, params }) => get(call, params.id), {
      detail: managing({
        id: "getInvitation",
        summary: "Get an invitation",
        answers: { 200: EnvelopedView(InvitationView) },
      }),
    })
    .post(
      "/:id/resend",
      ({ call, params }) =>
        answerLinked(call, 200, service, (tx, link) => resendInvitation(tx, params.id, call.granted, link)),
      {
        detail: managing({
          id: "resendInvitation",
          summary: "Resend an invitation with a new link",
          description:
            "The old link stops working. The new one is valid for seven days. Expired invitations can be resent too.",
          answers: { 200: EnvelopedView(LinkedInvitationView) },
          refuses: ["invalid_state_transition"],
        }),
      },
    )
    .post("/:id/revoke", ({ call, params }) => revoke(call, params.id), {
      detail: managing({
        id: "revokeInvitation",
        summary: "Revoke an invitation",
        description: "Its link stops working immediately.",
        answers: { 200: EnvelopedView(InvitationView) },
        refuses: ["invalid_state_transition"],
      }),
    });

async function create(call: Call, body: CreateInvitation, service: Service): Promise<Response> {
  const asked = { ...body, merchant_id: (await merchantForRequest(call, body.merchant_id)) ?? null };
  return answerLinked(call, 201, service, (tx, link) => invite(tx, asked, call, link));
}

async function get(call: Call, id: string): Promise<Response> {
  const merchants = await directoryOf(call.store).now();
  return answerRead(call, async (db) => invitationView(await getInvitation(db, id), db.now, merchants));
}

async function revoke(call: Call, id: string): Promise<Response> {
  const merchants = await directoryOf(call.store).now();
  const work = async (tx: Tx) => invitationView(await revokeInvitation(tx, id, call.granted), tx.now, merchants);
  return answerWrite(call, 200, work);
}

async function list(call: Call, query: ListInvitations): Promise<Response> {
  const merchants = await directoryOf(call.store).now();
  const filter = { status: query.status, q: query.q };
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listInvitations(db, filter, window),
      count: (db) => countInvitations(db, filter),
      position: ({ created_at, id }) => [created_at, id],
    },
    (invitations, { now }) => invitations.map((one) => invitationView(one, now, merchants)),
  );
}

/** Responds with an invitation and its new link. The response that is stored for replays is encrypted. */
async function answerLinked(
  call: Call,
  status: number,
  { mail, secret_key }: Service,
  make: (tx: Tx, link: NewInvitationLink) => Promise<Invitation>,
): Promise<Response> {
  const token = tokenOf(crypto.getRandomValues(new Uint8Array(token_bytes)));
  const origin = originOf(call);
  const link = invitationLink(origin, token);
  // An emailed link needs an absolute URL. Only it proves the address, because the inviter sees the other link.
  const is_mailed = mail !== null && origin !== "";
  const code = is_mailed ? tokenOf(crypto.getRandomValues(new Uint8Array(code_bytes))) : null;
  const mail_link = code === null ? null : seal(`${link}.${code}`, secret_key, invitation_purpose);
  const needs_proof = is_mailed || call.merchant_id !== null;
  const merchants = await directoryOf(call.store).now();
  const work = async (tx: Tx) => ({
    ...invitationView(await make(tx, { token, mail_link, needs_proof, code }), tx.now, merchants),
    link,
  });
  return answerWrite(call, status, work, enveloped, secret_key);
}
