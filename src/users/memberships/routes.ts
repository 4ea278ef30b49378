import { Elysia } from "elysia";
import { unscoped } from "../../database/scope.ts";
import type { Db, Tx } from "../../database/store.ts";
import { answerWrite } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { tagged } from "../../http/preconditions.ts";
import { documentedAs } from "../../http/route.ts";
import { isSecure } from "../../http/security.ts";
import type { Service } from "../../http/service.ts";
import { assert } from "../../kit/assert.ts";
import { bodyOf } from "../../kit/schema.ts";
import { merchant_header, unknownMerchant } from "../../owners/rules.ts";
import { joinByInvitation } from "../invitations/commands.ts";
import { MeView } from "../schemas.ts";
import { actingView } from "../sessions/acting.ts";
import { beginViewAs, chooseMembership, endViewAs, type Going, goOn } from "../sessions/commands.ts";
import { hashOf, tokenIn } from "../sessions/session.ts";
import { getSelf } from "../store.ts";
import { userView } from "../view.ts";
import { ChooseMembership, JoinMembership, ViewAs } from "./schemas.ts";

const own = documentedAs({ needs: "user", chapter: "Users" });

/** Of what a user is a member, and as whom a session acts. */
export const membershipRoutes = (service: Service) =>
  new Elysia({ prefix: "/users/me" })
    .use(conventions)
    .post("/memberships", ({ call, body }) => join(call, body, service), {
      body: bodyOf(JoinMembership),
      detail: own({
        id: "joinMembership",
        summary: "Accept an invitation as the user who is signed in",
        description:
          "For who is a user already and is invited to another merchant, or to the house, at the same e-mail address.",
        answers: { 201: EnvelopedView(MeView) },
        refuses: ["invalid_link", "duplicate_email", "merchant_closed"],
      }),
    })
    .post("/membership", ({ call, body }) => choose(call, body, service), {
      body: bodyOf(ChooseMembership),
      detail: own({
        id: "chooseMembership",
        summary: "Choose as whom this session acts",
        description:
          "For a user with several memberships: the requests of this session are then those of a member of that" +
          " merchant, or of the house. For a single request the header `Packhouse-Merchant` names another merchant.",
        answers: { 200: EnvelopedView(MeView) },
      }),
    })
    .post("/view_as", ({ call, body }) => view(call, body, service), {
      body: bodyOf(ViewAs),
      detail: own({
        id: "beginViewAs",
        summary: "See the house as a merchant's people see it",
        description:
          "For members of the house. Until it is ended, the requests of this session see that merchant's records" +
          " alone, are refused what is not for merchants, and change nothing (`view_only`). The audit trail keeps" +
          " its beginning and its end.",
        answers: { 200: EnvelopedView(MeView) },
        refuses: ["not_for_merchants", "merchant_closed", "view_only"],
      }),
    })
    .delete("/view_as", ({ call }) => endView(call, service), {
      detail: own({
        id: "endViewAs",
        summary: "See the house as yourself again",
        answers: { 200: EnvelopedView(MeView) },
        refuses: ["resource_missing"],
      }),
    });

const unknownHeader = () => unknownMerchant(merchant_header);

/** The session of a user's request. Refuses: authentication_required, malformed_header. */
export function sessionOf(db: Db, { request }: Call, service: Service): Promise<Going> {
  const token = tokenIn(request, isSecure(service, request));
  assert(token !== null, "the request of a user has a session");
  return goOn(db, hashOf(token), request.headers.get(merchant_header), unknownHeader);
}

/** The user who asks, and as whom. */
export async function answerMe(db: Db, call: Call, service: Service) {
  const user = await getSelf(db, call.actor.id);
  const { acting, merchants } = await sessionOf(db, call, service);
  const view = { ...userView(user, merchants), ...actingView(acting, merchants) };
  return tagged(view, user.version, view);
}

/** Runs what changes the session of a request, and answers as whom it acts from then on. */
function answerSession(
  call: Call,
  status: number,
  service: Service,
  work: (tx: Tx, going: Going) => Promise<void>,
): Promise<Response> {
  return answerWrite(call, status, async (tx) => {
    await work(tx.scoped(unscoped), await sessionOf(tx, call, service));
    return answerMe(tx, call, service);
  });
}

function join(call: Call, { token }: JoinMembership, service: Service): Promise<Response> {
  return answerSession(call, 201, service, (tx) => joinByInvitation(tx, token, call.actor.id));
}

function choose(call: Call, { merchant }: ChooseMembership, service: Service): Promise<Response> {
  const unknown = () => unknownMerchant("merchant");
  return answerSession(call, 200, service, async (tx, going) => {
    const found = merchant === null ? null : going.merchants.named(merchant);
    if (merchant !== null && found === null) throw unknown();
    await chooseMembership(tx, going, found?.id ?? null, unknown);
  });
}

function view(call: Call, { merchant_id }: ViewAs, service: Service): Promise<Response> {
  return answerSession(call, 200, service, async (tx, going) => {
    const merchant = going.merchants.named(merchant_id);
    if (merchant === null) throw unknownMerchant("merchant_id");
    await beginViewAs(tx, going, merchant);
  });
}

function endView(call: Call, service: Service): Promise<Response> {
  return answerSession(call, 200, service, endViewAs);
}
