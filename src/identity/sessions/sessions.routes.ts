import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { closed } from "../../core/schema.ts";
import { refuseBeyond } from "../../http/auth/permissions.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { isSecure } from "../../http/origin.ts";
import { answerRead, answerWrite } from "../../http/response.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import type { Tx } from "../../storage/database.ts";
import { SessionView } from "../users/user.schema.ts";
import type { User } from "../users/user.ts";
import { getSelf, getUser } from "../users/users.sql.ts";
import { sessionView, tokenHashOf, tokenIn } from "./session.ts";
import { endSession, endSessionsOf, findSession, listSessions } from "./sessions.sql.ts";

const EndedView = EnvelopedView(closed({ ended: Type.Integer({ description: "The number of ended sessions." }) }));
const SessionsView = EnvelopedView(Type.Array(SessionView));

/** The routes of sessions. */
export const sessionRoutes = (service: Service) =>
  new Elysia({ prefix: "/users" })
    .use(conventions)
    .get("/me/sessions", ({ call }) => list(call, getSelf, call.actor.id, service), {
      detail: documented({
        id: "listMySessions",
        needs: "user",
        chapter: "Users",
        summary: "List your sessions",
        answers: { 200: SessionsView },
      }),
    })
    .delete("/me/sessions", ({ call }) => endOthers(call, service), {
      detail: documented({
        id: "endMyOtherSessions",
        needs: "user",
        chapter: "Users",
        summary: "Sign out of all your other sessions",
        answers: { 200: EndedView },
      }),
    })
    .delete("/me/sessions/:session_id", ({ call, params }) => endOwn(call, params.session_id), {
      detail: documented({
        id: "endMySession",
        needs: "user",
        chapter: "Users",
        summary: "Sign out of one of your sessions",
        answers: { 200: EndedView },
      }),
    })
    .get("/:id/sessions", ({ call, params }) => list(call, getUser, params.id, service), {
      detail: documented({
        id: "listSessions",
        needs: "users.manage",
        chapter: "Users",
        summary: "List the sessions of a user",
        answers: { 200: SessionsView },
      }),
    })
    .delete("/:id/sessions", ({ call, params }) => endAll(call, params.id), {
      detail: documented({
        id: "endSessions",
        needs: "users.manage",
        chapter: "Users",
        summary: "Sign a user out of all sessions",
        answers: { 200: EndedView },
      }),
    })
    .delete("/:id/sessions/:session_id", ({ call, params }) => endOne(call, params.id, params.session_id), {
      detail: documented({
        id: "endSession",
        needs: "users.manage",
        chapter: "Users",
        summary: "Sign a user out of one session",
        answers: { 200: EndedView },
      }),
    });

const currentOf = ({ request }: Call, service: Service): string | null => {
  const token = tokenIn(request, isSecure(service, request));
  return token === null ? null : tokenHashOf(token);
};

function list(call: Call, find: typeof getUser, id: string, service: Service): Promise<Response> {
  const current = currentOf(call, service);
  return answerRead(call, async (db) => {
    const user = await find(db, id);
    return (await listSessions(db, user.id)).map((session) => sessionView(session, current));
  });
}

function endOwn(call: Call, session_id: string): Promise<Response> {
  return answerWrite(call, 200, async (tx) => endOf(tx, await getSelf(tx, call.actor.id), session_id));
}

function endOne(call: Call, id: string, session_id: string): Promise<Response> {
  return answerWrite(call, 200, async (tx) => endOf(tx, await changeable(tx, call, id), session_id));
}

async function endOf(tx: Tx, user: User, session_id: string) {
  if (!(await endSession(tx, user.id, readId("session", session_id) ?? 0))) throw missing("session", session_id);
  return { ended: 1 };
}

/** A user without permissions that the caller lacks. Refuses: resource_missing, insufficient_permission. */
async function changeable(tx: Tx, call: Call, id: string): Promise<User> {
  const user = await getUser(tx, id);
  for (const { permissions } of user.memberships) refuseBeyond(call.granted, permissions);
  return user;
}

function endAll(call: Call, id: string): Promise<Response> {
  return answerWrite(call, 200, async (tx) => {
    const user = await changeable(tx, call, id);
    return { ended: await endSessionsOf(tx, user.id, null) };
  });
}

function endOthers(call: Call, service: Service): Promise<Response> {
  const hash = currentOf(call, service);
  return answerWrite(call, 200, async (tx) => {
    const user = await getSelf(tx, call.actor.id);
    const current = hash === null ? null : await findSession(tx, hash);
    return { ended: await endSessionsOf(tx, user.id, current?.session.id ?? null) };
  });
}
