import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { failureRate } from "../access/limits.ts";
import { permissions } from "../access/permission.ts";
import { roleFacts } from "../access/role.ts";
import type { Tx } from "../database/store.ts";
import { answerLongWork, answerRead, answerWrite } from "../http/answer.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { EnvelopedView, ListView } from "../http/envelope.ts";
import { answerList } from "../http/paging.ts";
import { requireMatch, tagged } from "../http/preconditions.ts";
import { documented, documentedAs } from "../http/route.ts";
import { isSecure } from "../http/security.ts";
import type { Service } from "../http/service.ts";
import { Fault } from "../kit/fault.ts";
import { hashPassword, isPassword } from "../kit/password.ts";
import { bodyOf, queryOf } from "../kit/schema.ts";
import { setPassword, updateUser } from "./changes/commands.ts";
import { lockUser } from "./commands.ts";
import { ChangePassword, ListUsers, RoleView, UpdateMe, UpdateUser, UserView } from "./schemas.ts";
import { hashOf, tokenIn } from "./sessions/session.ts";
import { findSession } from "./sessions/store.ts";
import { type Attempts, attempts } from "./sign_in/attempts.ts";
import { countUsers, getUser, listRoles, listUserPage } from "./store.ts";
import type { User } from "./user.ts";
import { userView } from "./view.ts";

const managing = documentedAs({ needs: "users.manage", chapter: "Users" });
const own = documentedAs({ needs: "user", chapter: "Users" });

/** The users, and the signed-in user's own profile. */
export function userRoutes(service: Service) {
  const tries = attempts(failureRate);
  return new Elysia()
    .use(conventions)
    .get("/roles", ({ call }) => answerRoles(call, service), {
      detail: documented({
        id: "listRoles",
        needs: "any",
        chapter: "Users",
        summary: "List roles and their permissions",
        answers: { 200: EnvelopedView(Type.Array(RoleView)) },
      }),
    })
    .get("/users", ({ call, query }) => list(call, query), {
      query: queryOf(ListUsers),
      detail: managing({ id: "listUsers", summary: "List users", answers: { 200: ListView(UserView) } }),
    })
    .get("/users/me", ({ call }) => answerRead(call, async (db) => shown(await getUser(db, call.actor.id))), {
      detail: own({ id: "getMe", summary: "Get the user who is signed in", answers: { 200: EnvelopedView(UserView) } }),
    })
    .patch("/users/me", ({ call, body }) => update(call, call.actor.id, body), {
      body: bodyOf(UpdateMe),
      detail: own({
        id: "updateMe",
        matches: true,
        summary: "Update your own name",
        answers: { 200: EnvelopedView(UserView) },
      }),
    })
    .post(
      "/users/me/password",
      ({ call, body }) => answerLongWork(call, () => changePassword(call, body, service, tries)),
      {
        body: bodyOf(ChangePassword),
        detail: own({
          id: "changePassword",
          summary: "Change your password",
          description: "You stay signed in here, and are signed out everywhere else.",
          answers: { 200: EnvelopedView(UserView) },
          refuses: ["invalid_credentials"],
        }),
      },
    )
    .get("/users/:id", ({ call, params }) => answerRead(call, async (db) => shown(await getUser(db, params.id))), {
      detail: managing({ id: "getUser", summary: "Get a user", answers: { 200: EnvelopedView(UserView) } }),
    })
    .patch("/users/:id", ({ call, params, body }) => update(call, params.id, body), {
      body: bodyOf(UpdateUser),
      detail: managing({
        id: "updateUser",
        matches: true,
        summary: "Update a user's name, role or status",
        description:
          "It holds at once, also for those who are signed in. Nobody gives a role that may do what he may not do" +
          " himself, nor changes someone who may. The last owner stays one.",
        answers: { 200: EnvelopedView(UserView) },
        refuses: ["last_owner"],
      }),
    });
}

function list(call: Call, query: ListUsers): Promise<Response> {
  const filters = { status: query.status ?? null, role: query.role ?? null, q: query.q ?? null };
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listUserPage(db, filters, window),
      count: (db) => countUsers(db, filters),
      position: ({ created_at, id }) => [created_at, id],
    },
    (users) => users.map(userView),
  );
}

function answerRoles(call: Call, { stores }: Service): Promise<Response> {
  const described = (name: keyof typeof permissions) => ({ name, description: permissions[name] });
  return answerRead({ ...call, store: stores.live }, async (db) =>
    (await listRoles(db)).map(({ name, permissions: words }) => ({
      name,
      description: roleFacts[name].description,
      permissions: words.filter((it) => it in permissions).map(described),
    })),
  );
}

function update(call: Call, id: string, { name, role, status }: UpdateUser): Promise<Response> {
  const change = {
    ...(name !== undefined && { name }),
    ...(role !== undefined && { role }),
    ...(status !== undefined && { status }),
  };
  return answerWrite(call, 200, async (tx) => {
    await requireVersion(tx, call, id);
    return shown(await updateUser(tx, id, change, call.granted));
  });
}

/** Refuses: resource_missing, precondition_failed, malformed_header, unless the user is as `If-Match` says. */
function requireVersion(tx: Tx, call: Call, id: string): Promise<void> {
  return requireMatch(call, async () => shown(await lockUser(tx, id)));
}

async function changePassword(
  call: Call,
  { current_password, password }: ChangePassword,
  service: Service,
  tries: Attempts,
): Promise<Response> {
  const { id } = call.actor;
  const before = await call.store.read((db) => getUser(db, id));
  const retry_after_seconds = tries.begin(id, call.store.clock.now());
  if (retry_after_seconds > 0) {
    throw new Fault("rate_limited", "Too many wrong passwords. Wait a little.", { retry_after_seconds });
  }
  if (!(await isPassword(current_password, before.password_hash))) throw wrongPassword();
  tries.succeeded(id);
  const password_hash = await hashPassword(password);
  const token = tokenIn(call.request, isSecure(service, call.request));
  return answerWrite(call, 200, async (tx) => {
    const user = await lockUser(tx, id);
    if (user.password_hash !== before.password_hash) throw wrongPassword();
    const current = token === null ? null : await findSession(tx, hashOf(token));
    return shown(await setPassword(tx, id, password_hash, current?.session.id ?? null));
  });
}

const wrongPassword = () => new Fault("invalid_credentials", "The current password is wrong.");

/** The tagged view of one user: `last_seen_at` changes it without a new version. */
function shown(user: User) {
  const view = userView(user);
  return tagged(view, user.version, view);
}
