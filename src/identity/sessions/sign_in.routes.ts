// Routes that set cookies: sign in and out, the first user, a forgotten password. They belong to the dashboard, not to
// the API.

import type { TSchema } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { networkOf } from "../../core/ip_addresses.ts";
import { bodyOf } from "../../core/schema.ts";
import type { RouteNeed } from "../../http/auth/permissions.ts";
import { failureRate } from "../../http/auth/rate_limits.ts";
import type { Call } from "../../http/call.ts";
import { jsonResponse } from "../../http/envelope.ts";
import { isSecure, refuseCrossSite, refusePlain } from "../../http/origin.ts";
import { conventions } from "../../http/request_pipeline.ts";
import { unlisted } from "../../http/route.ts";
import { clientOf, type Service } from "../../http/service.ts";
import type { Db, Store, Tx } from "../../storage/database.ts";
import { maySignIn } from "../identity.transitions.ts";
import { AcceptInvitation, InvitedView, LookAtInvitation } from "../users/invitation.schema.ts";
import { invitedView, isProven, readLinkToken } from "../users/invitation.ts";
import { acceptInvitation, getOpenInvitation, getProvenInvitation } from "../users/invitations.ts";
import { hashNewPassword, isPassword } from "../users/passwords.ts";
import { emailKey, type User } from "../users/user.ts";
import { sessionOf } from "../users/users.routes.ts";
import { findUserByEmail, getUser } from "../users/users.sql.ts";
import { createFirstUser, getLink, resetPassword } from "../users/users.ts";
import { cookieOf, tokenHashOf, tokenIn } from "./session.ts";
import { endSessionCalled, findSession } from "./sessions.sql.ts";
import { beginSession, resumeSession, sessionMerchants } from "./sessions.ts";
import { FirstUserSetup, PasswordReset, ResetView, SignedInView, SignedOutView, SignIn } from "./sign_in.schema.ts";
import {
  type AttemptLimiter,
  admitUser,
  attempts,
  recordFailedSignIn,
  recordVisit,
  type SecondFactorCheck,
  type SignInClient,
  signedIn,
  wrongCredentials,
} from "./sign_in.ts";

const token_bytes = 32;
// All people of a warehouse may share one address, and each may mistype a password now and then.
const of_address = { per_minute: 20, burst: 20 };

// Someone with a stolen password must not be able to guess the six digits: after ten wrong codes, one in five minutes.
const of_codes = { per_minute: 0.2, burst: 10 };

/** The dependencies of the sign-in routes. */
interface SignInContext {
  readonly service: Service;
  readonly second: SecondFactorCheck;
  readonly gate: ReturnType<typeof gateOf>;
  /** How often each user may send a wrong code. */
  readonly codes: AttemptLimiter;
}

/** The routes for signing in and out. `second` checks second factors. */
export function signInRoutes(service: Service, second: SecondFactorCheck) {
  const desk: SignInContext = { service, second, gate: gateOf(service), codes: attempts(of_codes) };
  return new Elysia({ prefix: "/dashboard/api" })
    .use(conventions)
    .get("/session", ({ call }) => show(desk, call), answering(200, SignedInView, "user"))
    .post("/session", ({ call, body }) => signIn(desk, call, body), {
      body: bodyOf(SignIn),
      ...answering(200, SignedInView),
    })
    .delete("/session", ({ call }) => signOut(service, call), answering(200, SignedOutView))
    .post("/setup", ({ call, body }) => setUp(desk, call, body), {
      body: bodyOf(FirstUserSetup),
      ...answering(201, SignedInView),
    })
    .post("/invitations/look", ({ call, body }) => look(desk, call, body), {
      body: bodyOf(LookAtInvitation),
      ...answering(200, InvitedView),
    })
    .post("/invitations/accept", ({ call, body }) => accept(desk, call, body), {
      body: bodyOf(AcceptInvitation),
      ...answering(201, SignedInView),
    })
    .post("/reset", ({ call, body }) => reset(desk, call, body), {
      body: bodyOf(PasswordReset),
      ...answering(200, ResetView),
    });
}

/** The response of a route. Only the dashboard uses these routes, so the reference does not list them. */
export const answering = (status: number, view: TSchema, needs: RouteNeed = "none") => ({
  detail: unlisted({ needs, answers: { [status]: view } }),
});

/**
 * Reads what a link names. A command may create links while a server runs, whose reads show older data until its own
 * commits are on disk. So a link that is not found is looked up again in the newest commit.
 */
async function readLink<Found>(live: Store, look: (db: Db) => Promise<Found>): Promise<Found> {
  try {
    return await live.read(look);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "invalid_link") throw error;
    return live.readLatest(look);
  }
}

export const no_store = { "cache-control": "no-store" };

async function show({ second, service }: SignInContext, call: Call): Promise<Response> {
  const body = await call.store.read(async (db) => signedIn(await sessionOf(db, call, service), second));
  return jsonResponse(call, 200, JSON.stringify(body), no_store);
}

async function signIn(desk: SignInContext, call: Call, { email, password, code }: SignIn): Promise<Response> {
  const { service, second, gate } = desk;
  const { live } = service.stores;
  const opened = await gate(call, emailKey(email), async () => {
    const user = await live.read((db) => findUserByEmail(db, email));
    return recordingFailures(service, call, { email, user }, async () => {
      const fits = await isPassword(password, user !== null && maySignIn(user.status) ? user.password_hash : null);
      if (!fits || user === null) throw wrongCredentials();
      const isRequired = second.isRequired(user);
      if (isRequired && code === undefined) {
        throw new Fault("second_factor_required", "Also send the code of your authenticator app.");
      }
      const begin = beginning(desk, call, "signIn");
      const admit = () => live.write(async (tx) => begin(tx, await admitUser(tx, user, code ?? null, second)));
      return isRequired ? showingCode(desk, user, admit) : admit();
    });
  });
  return withCookie(service, call, 200, opened);
}

/** Lets a user try a code, within the limit on failures. Refuses: rate_limited, and what `work` refuses. */
async function showingCode<Done>(
  { service, codes }: SignInContext,
  { id }: User,
  work: () => Promise<Done>,
): Promise<Done> {
  const retry_after_seconds = codes.begin(String(id), service.stores.live.clock.now());
  if (retry_after_seconds > 0) {
    throw new Fault("rate_limited", "Too many wrong codes. Wait a few minutes.", { retry_after_seconds });
  }
  const done = await work();
  codes.succeeded(String(id));
  return done;
}

/** The client of a request that signs in or out. */
export const visitOf = (service: Service, { request, request_id }: Call): SignInClient => ({
  ip: clientOf(service, request),
  request_id,
});

/** Runs an authentication and records a failure in the audit log. */
async function recordingFailures<Done>(
  service: Service,
  call: Call,
  tried: { readonly email: string; readonly user: User | null },
  work: () => Promise<Done>,
): Promise<Done> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault && counted.includes(error.code)) {
      const { code } = error;
      await service.stores.live.write((tx) => recordFailedSignIn(tx, { ...tried, code }, visitOf(service, call)));
    }
    throw error;
  }
}

async function setUp(
  desk: SignInContext,
  call: Call,
  { token, password, ...person }: FirstUserSetup,
): Promise<Response> {
  const { live } = desk.service.stores;
  const opened = await desk.gate(call, null, async () => {
    await readLink(live, (db) => getLink(db, "setup", token));
    const password_hash = await hashNewPassword(password, person);
    const begin = beginning(desk, call, "setUp");
    return live.write(async (tx) => begin(tx, await createFirstUser(tx, token, { ...person, password_hash })));
  });
  return withCookie(desk.service, call, 201, opened);
}

function look({ service, gate }: SignInContext, call: Call, { token }: LookAtInvitation): Promise<Response> {
  return gate(call, null, async () => {
    const invited = await readLink(service.stores.live, async (db) => {
      const invitation = await getOpenInvitation(db, token);
      const { merchant_id, email } = invitation;
      const merchant = merchant_id === null ? null : (await sessionMerchants(db)).byId(merchant_id);
      const is_proven = isProven(invitation, readLinkToken(token).code);
      const existing_user = is_proven ? (await findUserByEmail(db, email)) !== null : null;
      return invitedView(invitation, { merchant, existing_user });
    });
    return jsonResponse(call, 200, JSON.stringify(invited), no_store);
  });
}

async function accept(desk: SignInContext, call: Call, { token, name, password }: AcceptInvitation): Promise<Response> {
  const { live } = desk.service.stores;
  const opened = await desk.gate(call, null, async () => {
    const { email } = await readLink(live, (db) => getProvenInvitation(db, token));
    const password_hash = await hashNewPassword(password, { email, name });
    const begin = beginning(desk, call, "acceptInvitation");
    return live.write(async (tx) => begin(tx, await acceptInvitation(tx, token, { name, password_hash })));
  });
  return withCookie(desk.service, call, 201, opened);
}

async function reset(
  { service, gate }: SignInContext,
  call: Call,
  { token, password }: PasswordReset,
): Promise<Response> {
  const { live } = service.stores;
  await gate(call, null, async () => {
    const password_hash = await hashNewPassword(password, await readLink(live, (db) => personOf(db, token)));
    await live.write(async (tx) => {
      await recordVisit(tx, "resetPassword", await resetPassword(tx, token, password_hash), visitOf(service, call));
    });
  });
  return jsonResponse(call, 200, JSON.stringify({ reset: true }), no_store);
}

/** The user whose password a link may reset. Refuses: invalid_link, resource_missing. */
async function personOf(db: Db, token: string): Promise<User> {
  const { user_id } = await getLink(db, "reset", token);
  return getUser(db, wireId("user", user_id ?? 0));
}

async function signOut(service: Service, call: Call): Promise<Response> {
  refuseCrossSite(service, call.request);
  const secure = isSecure(service, call.request);
  const token = tokenIn(call.request, secure);
  if (token !== null) {
    await service.stores.live.write(async (tx) => {
      const ended = await findSession(tx, tokenHashOf(token));
      if (ended === null) return;
      await endSessionCalled(tx, tokenHashOf(token));
      await recordVisit(tx, "signOut", ended.user, visitOf(service, call));
    });
  }
  const headers = { ...no_store, "set-cookie": cookieOf(null, secure) };
  return jsonResponse(call, 200, JSON.stringify({ signed_out: true }), headers);
}

/** A new session: the token of its cookie, and the response body. */
export interface StartedSession {
  readonly token: string;
  readonly body: string;
}

/**
 * Returns a function that begins a session for the client of a request. `device_id` is the device of a sign-in by
 * badge.
 */
export function beginning(
  { service, second }: Pick<SignInContext, "service" | "second">,
  call: Call,
  way: "signIn" | "setUp" | "acceptInvitation",
  device_id?: number,
) {
  const { request } = call;
  const random = crypto.getRandomValues(new Uint8Array(token_bytes));
  const origin = {
    ip: clientOf(service, request),
    user_agent: request.headers.get("user-agent")?.slice(0, 300) ?? null,
    previous: tokenIn(request, isSecure(service, request)),
    ...(device_id !== undefined && { device_id }),
  };
  return async (tx: Tx, user: User): Promise<StartedSession> => {
    const { token } = await beginSession(tx, user.id, origin, random);
    await recordVisit(tx, way, user, { ...visitOf(service, call), ...(device_id !== undefined && { device_id }) });
    const going = await resumeSession(tx, tokenHashOf(token), null, wrongCredentials);
    return { token, body: JSON.stringify(signedIn(going, second)) };
  };
}

function withCookie(service: Service, call: Call, status: number, { token, body }: StartedSession): Response {
  const cookie = cookieOf(token, isSecure(service, call.request));
  return jsonResponse(call, status, body, { ...no_store, "set-cookie": cookie });
}

const counted: readonly string[] = ["invalid_credentials", "second_factor_invalid", "invalid_link"];

/**
 * Lets a client try a password or a link, if its connection and its page are allowed, and within the limits on failures
 * of an address and of an account. Successes are not counted.
 * Refuses: insecure_connection, cross_site_request, rate_limited, and what `work` refuses.
 */
export function gateOf(service: Service) {
  const [addresses, accounts] = [attempts(of_address), attempts(failureRate)];
  const { clock } = service.stores.live;
  return async <Done>({ request }: Call, account: string | null, work: () => Promise<Done>): Promise<Done> => {
    refusePlain(service, request);
    refuseCrossSite(service, request);
    const address = networkOf(clientOf(service, request) ?? "unknown");
    const now = clock.now();
    const retry_after_seconds = addresses.begin(address, now) || (account === null ? 0 : accounts.begin(account, now));
    if (retry_after_seconds > 0) {
      throw new Fault("rate_limited", "Too many failed attempts. Try again later.", { retry_after_seconds });
    }
    const forgive = () => {
      addresses.succeeded(address);
      if (account !== null) accounts.succeeded(account);
    };
    try {
      const done = await work();
      forgive();
      return done;
    } catch (error) {
      // Only wrong attempts count.
      if (!(error instanceof Fault) || !counted.includes(error.code)) forgive();
      throw error;
    }
  };
}
