import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { assert, Fault } from "../../core/faults.ts";
import { bodyOf, queryOf } from "../../core/schema.ts";
import { shownToMerchant } from "../../http/auth/merchant_permissions.ts";
import { type Permission, permissions } from "../../http/auth/permissions.ts";
import { failureRate } from "../../http/auth/rate_limits.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { isSecure } from "../../http/origin.ts";
import { answerList } from "../../http/pagination.ts";
import { requireMatch, tagged } from "../../http/preconditions.ts";
import { answerLongWork, answerRead, answerWrite } from "../../http/response.ts";
import { documented, documentedAs } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import { directoryOf, merchantForRequest } from "../../merchants/directory.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { unscoped } from "../../storage/scope.ts";
import { merchant_header, unknownMerchant } from "../../storage/tenant.ts";
import { actingView, tokenHashOf, tokenIn } from "../sessions/session.ts";
import { findSession } from "../sessions/sessions.sql.ts";
import { type ActiveSession, beginViewAs, chooseMembership, endViewAs, resumeSession } from "../sessions/sessions.ts";
import { type AttemptLimiter, attempts } from "../sessions/sign_in.ts";
import { joinByInvitation } from "./invitations.ts";
import { hashNewPassword, isPassword } from "./passwords.ts";
import { roleFacts } from "./roles.ts";
import {
  ChangePassword,
  ChooseMembership,
  JoinMembership,
  ListUsers,
  MeView,
  RoleView,
  UpdateMe,
  UpdateUser,
  UserView,
  ViewAs,
} from "./user.schema.ts";
import { type MerchantsById, type User, userView } from "./user.ts";
import { countUsers, getSelf, getUser, listRoles, listUserPage } from "./users.sql.ts";
import { lockUser, setPassword, updateUser } from "./users.ts";

const ownMembership = documentedAs({ needs: "user", chapter: "Users" });

/** The routes of a user's own memberships and of viewing as a merchant. */
const membershipRoutes = (service: Service) =>
  new Elysia({ prefix: "/users/me" })
    .use(conventions)
    .post("/memberships", ({ call, body }) => join(call, body, service), {
      body: bodyOf(JoinMembership),
      detail: ownMembership({
        id: "joinMembership",
        summary: "Accept an invitation as the signed-in user",
        description:
          "For existing users who are invited to another merchant, or by the operator, at the same email address.",
        answers: { 201: EnvelopedView(MeView) },
        refuses: ["invalid_link", "duplicate_email", "merchant_closed"],
      }),
    })
    .post("/membership", ({ call, body }) => choose(call, body, service), {
      body: bodyOf(ChooseMembership),
      detail: ownMembership({
        id: "chooseMembership",
        summary: "Switch the membership of this session",
        description:
          "For users with several memberships: this session then acts for that merchant, or for the operator. To act" +
          " for another merchant in a single request, send the header `Packhouse-Merchant`.",
        answers: { 200: EnvelopedView(MeView) },
      }),
    })
    .post("/view_as", ({ call, body }) => view(call, body, service), {
      body: bodyOf(ViewAs),
      detail: ownMembership({
        id: "beginViewAs",
        summary: "View as a merchant",
        description:
          "For the operator's users. Until the view ends, this session sees only that merchant's records, cannot use" +
          " routes that are not for merchants, and cannot change anything (`view_only`). The audit log records the" +
          " start and the end.",
        answers: { 200: EnvelopedView(MeView) },
        refuses: ["not_for_merchants", "merchant_closed", "view_only"],
      }),
    })
    .delete("/view_as", ({ call }) => endView(call, service), {
      detail: ownMembership({
        id: "endViewAs",
        summary: "Stop viewing as a merchant",
        answers: { 200: EnvelopedView(MeView) },
        refuses: ["resource_missing"],
      }),
    });

const unknownHeader = () => unknownMerchant(merchant_header);

/** The session of a user's request. Refuses: authentication_required, malformed_header. */
export function sessionOf(db: Db, { request }: Call, service: Service): Promise<ActiveSession> {
  const token = tokenIn(request, isSecure(service, request));
  assert(token !== null, "the request of a user has a session");
  return resumeSession(db, tokenHashOf(token), request.headers.get(merchant_header), unknownHeader);
}

/** The response with the caller's own user and active membership. */
async function answerMe(db: Db, call: Call, service: Service) {
  const user = await getSelf(db, call.actor.id);
  const { acting, merchants } = await sessionOf(db, call, service);
  const view = { ...userView(user, merchants), ...actingView(acting, merchants) };
  return tagged(view, user.version, view);
}

/** Changes the session of a request, and responds with its new active membership. */
function answerSession(
  call: Call,
  status: number,
  service: Service,
  work: (tx: Tx, going: ActiveSession) => Promise<void>,
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
        summary: "Get the signed-in user",
        description:
          "Includes all memberships, the active one (`current`), the merchant whose records are visible (null for" +
          " all merchants), and `view_as` while one of the operator's users views as a merchant.",
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
          description: "You stay signed in here and are signed out everywhere else.",
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
          "Takes effect immediately, also for signed-in users. You cannot grant a role with permissions you lack," +
          " nor change a user with such a role. The last owner of the operator keeps that role. `merchant_id` selects" +
          " the membership whose role and status change; without it, the role of the first membership and the user's" +
          " status everywhere change. A merchant's users change only memberships at their own merchant.",
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

/** The roles; for a merchant's users, as they apply at a merchant. */
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
  const about = await merchantForRequest(call, merchant_id);
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
  // This route needs no permission, but a user without a required second factor is refused everything else.
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
  tries: AttemptLimiter,
): Promise<Response> {
  const { id } = call.actor;
  const before = await call.store.read((db) => getSelf(db, id));
  const retry_after_seconds = tries.begin(id, call.store.clock.now());
  if (retry_after_seconds > 0) {
    throw new Fault("rate_limited", "Too many wrong passwords. Try again later.", { retry_after_seconds });
  }
  if (!(await isPassword(current_password, before.password_hash))) throw wrongPassword();
  tries.succeeded(id);
  const password_hash = await hashNewPassword(password, before);
  const token = tokenIn(call.request, isSecure(service, call.request));
  return answerWrite(call, 200, async (tx) => {
    const user = await lockUser(tx.scoped(unscoped), id);
    if (user.password_hash !== before.password_hash) throw wrongPassword();
    const current = token === null ? null : await findSession(tx, tokenHashOf(token));
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
