import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { shownToMerchant } from "../access/for_merchants.ts";
import { failureRate } from "../access/limits.ts";
import { type Permission, permissions } from "../access/permission.ts";
import { roleFacts } from "../access/role.ts";
import { unscoped } from "../database/scope.ts";
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
import { isPassword } from "../kit/password.ts";
import { bodyOf, queryOf } from "../kit/schema.ts";
import { directoryOf, merchantMeant } from "../merchants/directory.ts";
import { setPassword, updateUser } from "./changes/commands.ts";
import { lockUser } from "./commands.ts";
import type { MerchantsById } from "./membership.ts";
import { answerMe, membershipRoutes } from "./memberships/routes.ts";
import { hashNewPassword } from "./passwords/commands.ts";
import { ChangePassword, ListUsers, MeView, RoleView, UpdateMe, UpdateUser, UserView } from "./schemas.ts";
import { hashOf, tokenIn } from "./sessions/session.ts";
import { findSession } from "./sessions/store.ts";
import { type Attempts, attempts } from "./sign_in/attempts.ts";
import { countUsers, getSelf, getUser, listRoles, listUserPage } from "./store.ts";
import type { User } from "./user.ts";
import { userView } from "./view.ts";

const managing = documentedAs({ needs: "users.manage", chapter: "Users" });
const own = documentedAs({ needs: "user", chapter: "Users" });

/** The users, and the signed-in user's own profile. */
export function userRoutes(service: Service) {
  const tries = attempts(failureRate);
  return new Elysia()
    .use(conventions)
    .use(membershipRoutes(service))
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
    .get("/users/me", ({ call }) => answerRead(call, (db) => answerMe(db, call, service)), {
      detail: own({
        id: "getMe",
        summary: "Get the user who is signed in",
        description:
          "With all memberships, the one as which this request is made (`current`), the merchant whose records are" +
          " seen (null for the house), and `view_as` while somebody of the house looks on as that merchant.",
        answers: { 200: EnvelopedView(MeView) },
      }),
    })
    .patch("/users/me", ({ call, body }) => updateSelf(call, body, service), {
      body: bodyOf(UpdateMe),
      detail: own({
        id: "updateMe",
        matches: true,
        summary: "Update your own name",
        answers: { 200: EnvelopedView(MeView) },
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
          answers: { 200: EnvelopedView(MeView) },
          refuses: ["invalid_credentials"],
        }),
      },
    )
    .get("/users/:id", ({ call, params }) => get(call, params.id), {
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
          " himself, nor changes someone who may. The last owner of the house stays one. `merchant_id` says whose" +
          " membership role and status are about; without it the role is the one that the user shows, and the status" +
          " that of the user everywhere. A merchant's people change the memberships at their own merchant.",
        answers: { 200: EnvelopedView(UserView) },
        refuses: ["last_owner", "merchant_closed"],
      }),
    });
}

async function list(call: Call, query: ListUsers): Promise<Response> {
  const filters = { status: query.status ?? null, role: query.role ?? null, q: query.q ?? null };
  const merchants = await directoryOf(call.store).now();
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listUserPage(db, filters, window),
      count: (db) => countUsers(db, filters),
      position: ({ created_at, id }) => [created_at, id],
    },
    (users) => users.map((user) => userView(user, merchants)),
  );
}

/** The roles, for a merchant's people as they are there. */
async function answerRoles(call: Call, { stores }: Service): Promise<Response> {
  const { merchant_id } = call;
  const described = (words: readonly Permission[]) => {
    return words.map((name) => ({ name, description: permissions[name] }));
  };
  const directory = await directoryOf(stores.live).now();
  const own = merchant_id === null ? null : directory.byId(merchant_id);
  return answerRead({ ...call, store: stores.live }, async (db) =>
    (await listRoles(db)).flatMap(({ name, permissions: stored }) => {
      const { description, at_merchant } = roleFacts[name];
      const words = stored.filter((it) => it in permissions);
      const there = shownToMerchant(words, own ?? { may_buy_labels: false });
      const merchant = at_merchant === null ? null : { description: at_merchant, permissions: described(there) };
      if (merchant_id === null) return { name, description, permissions: described(words), merchant };
      return merchant === null ? [] : { name, ...merchant, merchant };
    }),
  );
}

async function get(call: Call, id: string): Promise<Response> {
  const merchants = await directoryOf(call.store).now();
  return answerRead(call, async (db) => shown(await getUser(db, id), merchants));
}

async function update(call: Call, id: string, { merchant_id, ...body }: UpdateUser): Promise<Response> {
  const merchants = await directoryOf(call.store).now();
  const about = await merchantMeant(call, merchant_id);
  return answerWrite(call, 200, async (tx) => {
    await requireMatch(call, async () => shown(await lockUser(tx, id), merchants));
    const { granted, merchant_id: of_merchant } = call;
    return shown(await updateUser(tx, id, changeOf(body), { granted, of_merchant, about }), merchants);
  });
}

const changeOf = ({ name, role, status }: Omit<UpdateUser, "merchant_id">) => ({
  ...(name !== undefined && { name }),
  ...(role !== undefined && { role }),
  ...(status !== undefined && { status }),
});

function updateSelf(call: Call, { name }: UpdateMe, service: Service): Promise<Response> {
  const { id } = call.actor;
  // Nobody has to be allowed to bear a name, but whoever lacks a second factor is refused everything else.
  const granted = call.granted.lacks_factor ? call.granted : null;
  return answerWrite(call, 200, async (tx) => {
    await requireMatch(call, async () => {
      await lockUser(tx.scoped(unscoped), id);
      return answerMe(tx, call, service);
    });
    await updateUser(tx.scoped(unscoped), id, changeOf({ ...(name !== undefined && { name }) }), {
      granted,
      of_merchant: null,
    });
    return answerMe(tx, call, service);
  });
}

async function changePassword(
  call: Call,
  { current_password, password }: ChangePassword,
  service: Service,
  tries: Attempts,
): Promise<Response> {
  const { id } = call.actor;
  const before = await call.store.read((db) => getSelf(db, id));
  const retry_after_seconds = tries.begin(id, call.store.clock.now());
  if (retry_after_seconds > 0) {
    throw new Fault("rate_limited", "Too many wrong passwords. Wait a little.", { retry_after_seconds });
  }
  if (!(await isPassword(current_password, before.password_hash))) throw wrongPassword();
  tries.succeeded(id);
  const password_hash = await hashNewPassword(password, before);
  const token = tokenIn(call.request, isSecure(service, call.request));
  return answerWrite(call, 200, async (tx) => {
    const user = await lockUser(tx.scoped(unscoped), id);
    if (user.password_hash !== before.password_hash) throw wrongPassword();
    const current = token === null ? null : await findSession(tx, hashOf(token));
    await setPassword(tx, id, password_hash, current?.session.id ?? null);
    return answerMe(tx, call, service);
  });
}

const wrongPassword = () => new Fault("invalid_credentials", "The current password is wrong.");

/** The tagged view of one user: `last_seen_at` changes it without a new version. */
function shown(user: User, merchants: MerchantsById) {
  const view = userView(user, merchants);
  return tagged(view, user.version, view);
}
