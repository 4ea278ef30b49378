import { Type } from "@sinclair/typebox";
import { assert, Fault } from "../../core/faults.ts";
import { shownToMerchant } from "../../http/auth/merchant_permissions.ts";
import { type Permission, permissions } from "../../http/auth/permissions.ts";
import { failureRate } from "../../http/auth/rate_limits.ts";
import type { Call } from "../../http/call.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { isSecure } from "../../http/origin.ts";
import { tagged } from "../../http/preconditions.ts";
import { answerRead } from "../../http/response.ts";
import { list, read, respond, routes, write } from "../../http/routes.ts";
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
  MeView,
  RoleView,
  UpdateMe,
  UpdateUser,
  UserView,
  ViewAs,
} from "./user.schema.ts";
import { type MerchantsById, type User, userView } from "./user.ts";
import { getSelf, getUser, listRoles, userList } from "./users.sql.ts";
import { lockUser, setPassword, updateUser } from "./users.ts";

/** The routes of a user's own memberships and of viewing as a merchant. */
const membershipRows = (service: Service) => [
  write("POST", "/users/me/memberships", "user", {
    id: "joinMembership",
    summary: "Accept an invitation as the signed-in user",
    description:
      "For existing users who are invited to another merchant, or by the operator, at the same email address. The" +
      " session keeps its present membership; switch with `POST /users/me/membership`.",
    refuses: ["invalid_link", "duplicate_email", "merchant_closed"],
    body: JoinMembership,
    view: MeView,
    status: 201,
    act: (tx, { call, body: { token } }) =>
      changeSession(tx, call, service, (all) => joinByInvitation(all, token, call.actor.id)),
  }),
  write("POST", "/users/me/membership", "user", {
    id: "chooseMembership",
    summary: "Switch the membership of this session",
    description:
      "For users with several memberships: this session then acts for that merchant, or for the operator. To act for" +
      " another merchant in a single request, send the header `Packhouse-Merchant`.",
    body: ChooseMembership,
    view: MeView,
    act: (tx, { call, body: { merchant } }) =>
      changeSession(tx, call, service, async (all, going) => {
        const unknown = () => unknownMerchant("merchant");
        const found = merchant === null ? null : going.merchants.named(merchant);
        if (merchant !== null && found === null) throw unknown();
        await chooseMembership(all, going, found?.id ?? null, unknown);
      }),
  }),
  write("POST", "/users/me/view_as", "user", {
    id: "beginViewAs",
    summary: "View as a merchant",
    description:
      "For the operator's users. Until the view ends, this session sees only that merchant's records, cannot use" +
      " routes that are not for merchants, and cannot change anything (`view_only`). The audit log records the start" +
      " and the end.",
    refuses: ["not_for_merchants", "merchant_closed", "view_only"],
    body: ViewAs,
    view: MeView,
    act: (tx, { call, body: { merchant_id } }) =>
      changeSession(tx, call, service, async (all, going) => {
        const merchant = going.merchants.named(merchant_id);
        if (merchant === null) throw unknownMerchant("merchant_id");
        await beginViewAs(all, going, merchant);
      }),
  }),
  write("DELETE", "/users/me/view_as", "user", {
    id: "endViewAs",
    summary: "Stop viewing as a merchant",
    description:
      "The session sees the records of all merchants again and can change them. 404 if there is no view to end.",
    refuses: ["resource_missing"],
    view: MeView,
    act: (tx, { call }) => changeSession(tx, call, service, endViewAs),
  }),
];

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
  return tagged(view, user.revision, view);
}

/** Changes the session of a request, and returns the user with its new active membership. */
async function changeSession(
  tx: Tx,
  call: Call,
  service: Service,
  work: (tx: Tx, going: ActiveSession) => Promise<void>,
) {
  await work(tx.scoped(unscoped), await sessionOf(tx, call, service));
  return answerMe(tx, call, service);
}

/** The users, and the signed-in user's own profile. */
export const userRoutes = (service: Service) =>
  routes("Users", [...membershipRows(service), ...listRows(service), ...ownRows(service), ...recordRows]);

/** The routes of the signed-in user's own profile. */
function ownRows(service: Service) {
  const tries = attempts(failureRate);
  return [
    read("/users/me", "user", {
      id: "getMe",
      summary: "Get the signed-in user",
      description:
        "Includes all memberships, the active one (`current`), the merchant whose records are visible (null for all" +
        " merchants), and `view_as` while one of the operator's users views as a merchant.",
      view: MeView,
      data: (db, { call }) => answerMe(db, call, service),
    }),
    write("PATCH", "/users/me", "user", {
      id: "updateMe",
      summary: "Update your own name",
      description:
        "Only `name` can be changed here. To change your password, use `POST /users/me/password`. Your role is set" +
        " with `PATCH /users/{id}`.",
      body: UpdateMe,
      view: MeView,
      matches: async (tx, { call }) => {
        await lockUser(tx.scoped(unscoped), call.actor.id);
        return answerMe(tx, call, service);
      },
      act: async (tx, { call, body: { name } }) => {
        // This route needs no permission, but a user without a required second factor is refused everything else.
        const granted = call.granted.lacks_factor ? call.granted : null;
        await updateUser(tx.scoped(unscoped), call.actor.id, changeOf({ ...(name !== undefined && { name }) }), {
          granted,
          of_merchant: null,
        });
        return answerMe(tx, call, service);
      },
    }),
    write("POST", "/users/me/password", "user", {
      id: "changePassword",
      summary: "Change your password",
      description:
        "You stay signed in here and are signed out everywhere else. After ten wrong attempts, further ones are" +
        " refused for a while.",
      refuses: ["invalid_credentials"],
      body: ChangePassword,
      view: MeView,
      long: true,
      prepare: ({ call, body }) => hashIfCorrect(call, body, tries),
      act: async (tx, { call, prepared: { before, password_hash } }) => {
        const { id } = call.actor;
        const token = tokenIn(call.request, isSecure(service, call.request));
        const user = await lockUser(tx.scoped(unscoped), id);
        if (user.password_hash !== before.password_hash) throw wrongPassword();
        const current = token === null ? null : await findSession(tx, tokenHashOf(token));
        await setPassword(tx, id, password_hash, current?.session.id ?? null);
        return answerMe(tx, call, service);
      },
    }),
  ];
}

const listRows = (service: Service) => [
  respond("GET", "/roles", "any", {
    id: "listRoles",
    summary: "List roles and their permissions",
    description:
      "The roles that users can have, the most powerful first, with the permissions that operations require. A" +
      " merchant's users get the roles that exist at a merchant.",
    answers: { 200: EnvelopedView(Type.Array(RoleView)) },
    answer: ({ call }) => answerRoles(call, service),
  }),
  list("/users", "users.manage", {
    id: "listUsers",
    summary: "List users",
    description:
      "People who can sign in, with all their memberships. A merchant's users see only the users of their own" +
      " merchant. `role` matches any membership.",
    of: userList,
    view: UserView,
    prepare: ({ call }) => directoryOf(call.store).now(),
    views: (users, _, { prepared }) => users.map((user) => userView(user, prepared)),
  }),
];

const recordRows = [
  read("/users/:id", "users.manage", {
    id: "getUser",
    summary: "Get a user",
    description:
      "Shows the user's memberships and roles, whether a second factor is set up, and when they were last seen.",
    view: UserView,
    prepare: ({ call }) => directoryOf(call.store).now(),
    data: async (db, { params, prepared }) => shown(await getUser(db, params.id), prepared),
  }),
  write("PATCH", "/users/:id", "users.manage", {
    id: "updateUser",
    summary: "Update a user's name, role or status",
    description:
      "`merchant_id` selects the membership whose role and status change; without it, the role of the first" +
      " membership and the user's status everywhere. Takes effect at once, and also revokes invitations that the user" +
      " could no longer send. You cannot grant permissions that you lack. The operator always keeps one owner.",
    refuses: ["last_owner", "merchant_closed"],
    body: UpdateUser,
    view: UserView,
    prepare: async ({ call, body }) => {
      const merchants = await directoryOf(call.store).now();
      return { merchants, about: await merchantForRequest(call, body.merchant_id) };
    },
    matches: async (tx, { params, prepared }) => shown(await lockUser(tx, params.id), prepared.merchants),
    act: async (tx, { call, params, body: { merchant_id: _, ...body }, prepared: { merchants, about } }) => {
      const { granted, merchant_id: of_merchant } = call;
      return shown(await updateUser(tx, params.id, changeOf(body), { granted, of_merchant, about }), merchants);
    },
  }),
];

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

const changeOf = ({ name, role, status }: Omit<UpdateUser, "merchant_id">) => ({
  ...(name !== undefined && { name }),
  ...(role !== undefined && { role }),
  ...(status !== undefined && { status }),
});

/** Returns the hash of a new password. Refuses: invalid_credentials (for a wrong current one), rate_limited. */
async function hashIfCorrect(call: Call, { current_password, password }: ChangePassword, tries: AttemptLimiter) {
  const { id } = call.actor;
  const before = await call.store.read((db) => getSelf(db, id));
  const retry_after_seconds = tries.begin(id, call.store.clock.now());
  if (retry_after_seconds > 0) {
    throw new Fault("rate_limited", "Too many wrong passwords. Try again later.", { retry_after_seconds });
  }
  if (!(await isPassword(current_password, before.password_hash))) throw wrongPassword();
  tries.succeeded(id);
  return { before, password_hash: await hashNewPassword(password, before) };
}

const wrongPassword = () => new Fault("invalid_credentials", "The current password is wrong.");

/** The tagged view of one user: `last_seen_at` changes it without a new revision. */
function shown(user: User, merchants: MerchantsById) {
  const view = userView(user, merchants);
  return tagged(view, user.revision, view);
}
