// Routes that set the cookies of floor devices: opening a device's link, and signing in by badge. They belong to the
// dashboard, not to the API.
import { Elysia } from "elysia";
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { bodyOf } from "../../core/schema.ts";
import type { Call } from "../../http/call.ts";
import { jsonResponse } from "../../http/envelope.ts";
import { isSecure } from "../../http/origin.ts";
import { conventions } from "../../http/request_pipeline.ts";
import type { Service } from "../../http/service.ts";
import { badge_session_ms, cookieOf, tokenHashOf, tokenIn } from "../sessions/session.ts";
import { answering, beginning, gateOf, no_store, type StartedSession, visitOf } from "../sessions/sign_in.routes.ts";
import { SignedInView } from "../sessions/sign_in.schema.ts";
import { attempts, recordFailedSignIn, recordOpenedLink, type SecondFactorCheck } from "../sessions/sign_in.ts";
import { hashNewPin, isPassword } from "../users/passwords.ts";
import { BadgeSignIn, OpenDeviceLink, ThisDeviceView } from "./badge.schema.ts";
import { attempts_max, lock_ms, type UserBadge } from "./badge.ts";
import { takeBackAttempt } from "./badges.sql.ts";
import { admitByBadge, badgeLocked, beginAttempt, newPinRequired, wrongBadge } from "./badges.ts";
import { device_cookie, type FloorDevice, ownDeviceView } from "./floor_device.ts";
import { findDevice, lockDevice, noteDeviceUse } from "./floor_devices.sql.ts";
import { openDeviceLink } from "./floor_devices.ts";

const token_bytes = 32;
// An unknown badge is locked like a badge of a user, so that the response does not show whether it exists.
const of_unknown = { per_minute: 60_000 / lock_ms, burst: attempts_max };

/** The dependencies of sign-in by badge. */
interface BadgeContext {
  readonly service: Service;
  readonly second: SecondFactorCheck;
  readonly gate: ReturnType<typeof gateOf>;
  readonly unknown: ReturnType<typeof attempts>;
}

/** The routes for opening a device's link and for signing in by badge. */
export function badgeSignInRoutes(service: Service, second: SecondFactorCheck) {
  const desk: BadgeContext = { service, second, gate: gateOf(service), unknown: attempts(of_unknown) };
  return new Elysia({ prefix: "/dashboard/api" })
    .use(conventions)
    .get("/device", ({ call }) => showDevice(service, call), answering(200, ThisDeviceView))
    .post("/device", ({ call, body }) => openLink(desk, call, body), {
      body: bodyOf(OpenDeviceLink),
      ...answering(200, ThisDeviceView),
    })
    .post("/badge_session", ({ call, body }) => signInByBadge(desk, call, body), {
      body: bodyOf(BadgeSignIn),
      ...answering(200, SignedInView),
    });
}

const deviceTokenIn = (service: Service, { request }: Call) =>
  tokenIn(request, isSecure(service, request), device_cookie);

const deviceCookie = (service: Service, { request }: Call, token: string) =>
  cookieOf(token, isSecure(service, request), device_cookie);

/** The device that the browser of a request is, or null. */
async function deviceOf({ stores: { live } }: Service, token: string | null): Promise<FloorDevice | null> {
  return token === null ? null : live.read((db) => findDevice(db, tokenHashOf(token)));
}

async function showDevice(service: Service, call: Call): Promise<Response> {
  const token = deviceTokenIn(service, call);
  const device = await deviceOf(service, token);
  const body = JSON.stringify({ device: device === null ? null : ownDeviceView(device) });
  const renewed = device === null || token === null ? {} : { "set-cookie": deviceCookie(service, call, token) };
  return jsonResponse(call, 200, body, { ...no_store, ...renewed });
}

function openLink({ service, gate }: BadgeContext, call: Call, { token: link }: OpenDeviceLink): Promise<Response> {
  const random = crypto.getRandomValues(new Uint8Array(token_bytes));
  return gate(call, null, async () => {
    const { device, token } = await service.stores.live.write(async (tx) => {
      const opened = await openDeviceLink(tx, link, random);
      await recordOpenedLink(tx, opened.device, visitOf(service, call));
      return opened;
    });
    const headers = { ...no_store, "set-cookie": deviceCookie(service, call, token) };
    return jsonResponse(call, 200, JSON.stringify({ device: ownDeviceView(device) }), headers);
  });
}

const notAllowed = () =>
  new Fault("device_not_allowed", "This device is not allowed for sign-in by badge. Ask an administrator for a link.");

async function signInByBadge(desk: BadgeContext, call: Call, input: BadgeSignIn): Promise<Response> {
  const { service, gate } = desk;
  const token = deviceTokenIn(service, call);
  const device = await deviceOf(service, token);
  if (device === null || token === null) throw notAllowed();
  const name = wireId("floor_device", device.id);
  const started = await gate(call, name, () => tryBadge(desk, call, device, input));
  const cookie = cookieOf(started.token, isSecure(service, call.request), { lasts_ms: badge_session_ms });
  return jsonResponse(call, 200, started.body, { ...no_store, "set-cookie": cookie });
}

/** Begins a session by badge. Refuses: invalid_credentials, rate_limited, new_pin_required, device_not_allowed. */
async function tryBadge(
  desk: BadgeContext,
  call: Call,
  device: FloorDevice,
  { badge: code, pin, new_pin }: BadgeSignIn,
): Promise<StartedSession> {
  const { service, unknown } = desk;
  const { live } = service.stores;
  const badge = await live.write((tx) => beginAttempt(tx, code));
  if (badge === null) {
    const seconds = unknown.begin(tokenHashOf(code), live.clock.now());
    if (seconds > 0) throw badgeLocked(seconds * 1000);
  }
  try {
    const fits = await isPassword(pin, badge?.pin_hash ?? null);
    if (badge === null || !fits) throw wrongBadge();
    const new_pin_hash = await newPinHash(badge, pin, new_pin);
    const begin = beginning(desk, call, "signIn", device.id);
    return await live.write(async (tx) => {
      const locked = await lockDevice(tx, device.id);
      if (locked.hash !== device.hash) throw notAllowed();
      const user = await admitByBadge(tx, badge, new_pin_hash);
      await noteDeviceUse(tx, device.id);
      return begin(tx, user);
    });
  } catch (error) {
    const is_wrong = error instanceof Fault && error.code === "invalid_credentials";
    await live.write(async (tx) => {
      if (is_wrong) {
        const failed = { user: badge === null ? null : { id: badge.user_id }, code: error.code };
        await recordFailedSignIn(tx, failed, { ...visitOf(service, call), device_id: device.id });
      } else if (badge !== null) await takeBackAttempt(tx, badge.user_id);
    });
    throw error;
  }
}

/** The hash of the PIN that replaces a temporary one; null for a PIN of the user's own. */
async function newPinHash(badge: UserBadge, pin: string, new_pin: string | undefined): Promise<string | null> {
  if (!badge.pin_is_temporary) return null;
  if (new_pin === undefined || new_pin === pin) throw newPinRequired(badge);
  return hashNewPin(new_pin, "new_pin");
}
