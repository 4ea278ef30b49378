// What is about cookies: sign in and out, the first user, a forgotten password. It is of the dashboard, not of the API.
import type { TSchema } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { failureRate } from "../../access/limits.ts";
import type { Tx } from "../../database/store.ts";
import { jsonResponse } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { isSecure, refuseCrossSite, refusePlain } from "../../http/security.ts";
import { clientOf, type Service } from "../../http/service.ts";
import { networkOf } from "../../kit/address.ts";
import { Fault } from "../../kit/fault.ts";
import { bodyOf } from "../../kit/schema.ts";
import { createFirstUser, getLink, resetPassword } from "../links/commands.ts";
import { hashPassword, isPassword } from "../passwords.ts";
import { beginSession } from "../sessions/commands.ts";
import { cookieOf, hashOf, tokenIn } from "../sessions/session.ts";
import { endSessionCalled } from "../sessions/store.ts";
import { findUserByEmail, getUser } from "../store.ts";
import { emailKey, type User } from "../user.ts";
import { attempts } from "./attempts.ts";
import { admitUser, type SecondFactor, signedIn, wrongCredentials } from "./commands.ts";
import { Reset, ResetView, Setup, SignedInView, SignedOutView, SignIn } from "./schemas.ts";

const token_bytes = 32;
// A whole house may sit behind one address, and each of its people may mistype a password now and then.
const of_address = { per_minute: 20, burst: 20 };

/** What signing in needs: the service, what may be asked beside a password, and the gate before all that is tried. */
interface Desk {
  readonly service: Service;
  readonly second: SecondFactor | null;
  readonly gate: ReturnType<typeof gateOf>;
}

/** Signing in and out; `second` is what a user may have to show beside his password. */
export function signInRoutes(service: Service, second: SecondFactor | null) {
  const desk: Desk = { service, second, gate: gateOf(service) };
  return new Elysia({ prefix: "/dashboard/api" })
    .use(conventions)
    .get("/session", ({ call }) => show(desk, call), answering(200, SignedInView))
    .post("/session", ({ call, body }) => signIn(desk, call, body), {
      body: bodyOf(SignIn),
      ...answering(200, SignedInView),
    })
    .delete("/session", ({ call }) => signOut(service, call), answering(200, SignedOutView))
    .post("/setup", ({ call, body }) => setUp(desk, call, body), {
      body: bodyOf(Setup),
      ...answering(201, SignedInView),
    })
    .post("/reset", ({ call, body }) => reset(desk, call, body), { body: bodyOf(Reset), ...answering(200, ResetView) });
}

/** What a route answers. It is of the dashboard alone, so the reference does not tell of it. */
const answering = (status: number, view: TSchema) => ({ detail: { answers: { [status]: view } } as object });

const no_store = { "cache-control": "no-store" };

async function show({ second }: Desk, call: Call): Promise<Response> {
  const body = await call.store.read(async (db) => signedIn(db, await getUser(db, call.actor.id), second));
  return jsonResponse(call, 200, JSON.stringify(body), no_store);
}

async function signIn(desk: Desk, call: Call, { email, password, code }: SignIn): Promise<Response> {
  const { service, second, gate } = desk;
  const { live } = service.stores;
  const opened = await gate(call, emailKey(email), async () => {
    const user = await live.read((db) => findUserByEmail(db, email));
    const fits = await isPassword(password, user?.status === "active" ? user.password_hash : null);
    if (!fits || user === null) throw wrongCredentials();
    if (code === undefined && (await live.read(async (db) => second?.isRequired(db, user)))) {
      throw new Fault("second_factor_required", "Send the code of your second factor, too.");
    }
    const begin = beginning(desk, call);
    return live.write(async (tx) => begin(tx, await admitUser(tx, user, code ?? null, second)));
  });
  return withCookie(service, call, 200, opened);
}

async function setUp(desk: Desk, call: Call, { token, password, ...person }: Setup): Promise<Response> {
  const { live } = desk.service.stores;
  const opened = await desk.gate(call, null, async () => {
    await live.read((db) => getLink(db, "setup", token));
    const password_hash = await hashPassword(password);
    const begin = beginning(desk, call);
    return live.write(async (tx) => begin(tx, await createFirstUser(tx, token, { ...person, password_hash })));
  });
  return withCookie(desk.service, call, 201, opened);
}

async function reset({ service, gate }: Desk, call: Call, { token, password }: Reset): Promise<Response> {
  const { live } = service.stores;
  await gate(call, null, async () => {
    await live.read((db) => getLink(db, "reset", token));
    const password_hash = await hashPassword(password);
    await live.write((tx) => resetPassword(tx, token, password_hash));
  });
  return jsonResponse(call, 200, JSON.stringify({ reset: true }), no_store);
}

async function signOut(service: Service, call: Call): Promise<Response> {
  refuseCrossSite(service, call.request);
  const secure = isSecure(service, call.request);
  const token = tokenIn(call.request, secure);
  if (token !== null) await service.stores.live.write((tx) => endSessionCalled(tx, hashOf(token)));
  const headers = { ...no_store, "set-cookie": cookieOf(null, secure) };
  return jsonResponse(call, 200, JSON.stringify({ signed_out: true }), headers);
}

/** A session that was begun: what its cookie holds, and what its browser is told. */
interface Begun {
  readonly token: string;
  readonly body: string;
}

/** What begins the session of a request. */
function beginning({ service, second }: Desk, { request }: Call) {
  const random = crypto.getRandomValues(new Uint8Array(token_bytes));
  const origin = {
    ip: clientOf(service, request),
    user_agent: request.headers.get("user-agent")?.slice(0, 300) ?? null,
    previous: tokenIn(request, isSecure(service, request)),
  };
  return async (tx: Tx, user: User): Promise<Begun> => {
    const { token } = await beginSession(tx, user.id, origin, random);
    return { token, body: JSON.stringify(await signedIn(tx, user, second)) };
  };
}

function withCookie(service: Service, call: Call, status: number, { token, body }: Begun): Response {
  const cookie = cookieOf(token, isSecure(service, call.request));
  return jsonResponse(call, status, body, { ...no_store, "set-cookie": cookie });
}

const counted: readonly string[] = ["invalid_credentials", "second_factor_invalid", "invalid_link"];

/**
 * Lets somebody try a password or a link: over a connection and from a page where that may be, and no more often than
 * an address and an account may fail. What succeeds is not counted.
 * Refuses: insecure_connection, cross_site_request, rate_limited, and what `work` refuses.
 */
function gateOf(service: Service) {
  const [addresses, accounts] = [attempts(of_address), attempts(failureRate)];
  const { clock } = service.stores.live;
  return async <Done>({ request }: Call, account: string | null, work: () => Promise<Done>): Promise<Done> => {
    refusePlain(service, request);
    refuseCrossSite(service, request);
    const address = networkOf(clientOf(service, request) ?? "unknown");
    const now = clock.now();
    const retry_after_seconds = addresses.begin(address, now) || (account === null ? 0 : accounts.begin(account, now));
    if (retry_after_seconds > 0) {
      throw new Fault("rate_limited", "Too many attempts that failed. Wait a little.", { retry_after_seconds });
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
      // Only what was tried and was wrong counts.
      if (!(error instanceof Fault) || !counted.includes(error.code)) forgive();
      throw error;
    }
  };
}
