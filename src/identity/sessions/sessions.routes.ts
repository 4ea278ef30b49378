import { Type } from "@sinclair/typebox";
import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { closed } from "../../core/schema.ts";
import { refuseBeyond } from "../../http/auth/permissions.ts";
import type { Call } from "../../http/call.ts";
import { isSecure } from "../../http/origin.ts";
import { read, routes, write } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { SessionView } from "../users/user.schema.ts";
import type { User } from "../users/user.ts";
import { getSelf, getUser } from "../users/users.sql.ts";
import { sessionView, tokenHashOf, tokenIn } from "./session.ts";
import { endSession, endSessionsOf, findSession, listSessions } from "./sessions.sql.ts";

/** How many sessions were ended. */
export const EndedView = closed({ ended: Type.Integer({ description: "The number of ended sessions." }) });

/** The routes of sessions. */
export const sessionRoutes = (service: Service) =>
  routes("Users", [
    read("/users/me/sessions", "user", {
      id: "listMySessions",
      summary: "List your sessions",
      description:
        "The browsers in which you are signed in, with their IP addresses, the last sign-in first. `current` marks" +
        " the one that sends this request.",
      view: Type.Array(SessionView),
      data: async (db, { call }) => sessionsOf(db, await getSelf(db, call.actor.id), call, service),
    }),
    write("DELETE", "/users/me/sessions", "user", {
      id: "endMyOtherSessions",
      summary: "Sign out of all your other sessions",
      description:
        "Ends every session of yours but the one that sends this request, for example after you left a shared" +
        " computer signed in. Your password stays the same.",
      view: EndedView,
      act: async (tx, { call }) => {
        const hash = currentOf(call, service);
        const user = await getSelf(tx, call.actor.id);
        const current = hash === null ? null : await findSession(tx, hash);
        return { ended: await endSessionsOf(tx, user.id, current?.session.id ?? null) };
      },
    }),
    write("DELETE", "/users/me/sessions/:session_id", "user", {
      id: "endMySession",
      summary: "Sign out of one of your sessions",
      description: "That browser has to sign in again. It may also be the session that sends this request.",
      view: EndedView,
      act: async (tx, { call, params }) => endOf(tx, await getSelf(tx, call.actor.id), params.session_id),
    }),
    read("/users/:id/sessions", "users.manage", {
      id: "listSessions",
      summary: "List the sessions of a user",
      description: "The browsers in which the user is signed in, with their IP addresses and when they were last used.",
      view: Type.Array(SessionView),
      data: async (db, { call, params }) => sessionsOf(db, await getUser(db, params.id), call, service),
    }),
    write("DELETE", "/users/:id/sessions", "users.manage", {
      id: "endSessions",
      summary: "Sign a user out of all sessions",
      description:
        "The user can sign in again at once: to keep them out, disable them with `PATCH /users/{id}`. Users with more" +
        " permissions than yours are refused.",
      view: EndedView,
      act: async (tx, { call, params }) => {
        const user = await changeable(tx, call, params.id);
        return { ended: await endSessionsOf(tx, user.id, null) };
      },
    }),
    write("DELETE", "/users/:id/sessions/:session_id", "users.manage", {
      id: "endSession",
      summary: "Sign a user out of one session",
      description:
        "Ends a single session of the user, for example on a lost device. Their other sessions stay signed in.",
      view: EndedView,
      act: async (tx, { call, params: { id, session_id } }) => endOf(tx, await changeable(tx, call, id), session_id),
    }),
  ]);

const currentOf = ({ request }: Call, service: Service): string | null => {
  const token = tokenIn(request, isSecure(service, request));
  return token === null ? null : tokenHashOf(token);
};

async function sessionsOf(db: Db, user: User, call: Call, service: Service) {
  const current = currentOf(call, service);
  return (await listSessions(db, user.id)).map((session) => sessionView(session, current));
}

async function endOf(tx: Tx, user: User, session_id: string) {
  if (!(await endSession(tx, user.id, readId("session", session_id) ?? 0))) throw missing("session", session_id);
  return { ended: 1 };
}

/** A user without permissions that the caller lacks. Refuses: resource_missing, insufficient_permission. */
export async function changeable(tx: Tx, call: Call, id: string): Promise<User> {
  const user = await getUser(tx, id);
  for (const { permissions } of user.memberships) refuseBeyond(call.granted, permissions);
  return user;
}
