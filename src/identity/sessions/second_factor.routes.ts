import { renderSVG } from "uqr";
import { isoOrNull } from "../../core/clock.ts";
import { Fault } from "../../core/faults.ts";
import { failureRate } from "../../http/auth/rate_limits.ts";
import type { Call } from "../../http/call.ts";
import { EnvelopedView, enveloped } from "../../http/envelope.ts";
import { answerWrite } from "../../http/response.ts";
import { read, respond, routes, write } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { isPassword } from "../users/passwords.ts";
import type { User } from "../users/user.ts";
import { needsFactor } from "../users/user.ts";
import { getSelf } from "../users/users.sql.ts";
import { factorStatus, secret_bytes, setupAddress } from "./second_factor.ts";
import { countCodes, findSecondFactor } from "./second_factors.sql.ts";
import {
  beginSecondFactor,
  confirmSecondFactor,
  recovery_bytes,
  renewRecoveryCodes,
  turnOffSecondFactor,
} from "./set_up_second_factor.ts";
import { ConfirmFactor, FactorView, NewFactorView, PasswordConfirmation, RecoveryCodesView } from "./sign_in.schema.ts";
import { type AttemptLimiter, attempts } from "./sign_in.ts";

/** The second factor of the signed-in user. */
export function secondFactorRoutes(service: Service) {
  const { secret_key } = service;
  const tries = attempts(failureRate);
  return routes("Users", [
    read("/users/me/second_factor", "user", {
      id: "getSecondFactor",
      summary: "Get the status of your second factor",
      description:
        "Shows whether signing in requires a code of an authenticator app, and how many recovery codes are left.",
      view: FactorView,
      data: async (db, { call }) => factorView(db, await getSelf(db, call.actor.id), service),
    }),
    write("POST", "/users/me/second_factor", "user", {
      id: "beginSecondFactor",
      summary: "Start the setup of a second factor",
      description:
        "Returns a secret, which an authenticator app reads from the QR code. It takes effect once you confirm it" +
        " with a code. Repeating it replaces a secret that was not confirmed.",
      refuses: ["invalid_state_transition"],
      view: NewFactorView,
      status: 201,
      secret_key,
      act: async (tx, { call }) => {
        const user = await getSelf(tx, call.actor.id);
        const secret = await beginSecondFactor(tx, user.id, secret_key, randomBytes(secret_bytes));
        const address = setupAddress(secret, user.email);
        return { secret, address, qr_svg: renderSVG(address) };
      },
    }),
    respond("POST", "/users/me/second_factor/confirm", "user", {
      id: "confirmSecondFactor",
      summary: "Confirm your second factor with its first code",
      description:
        "From then on, each sign-in requires a code of the app. Only this response contains the ten recovery codes," +
        " which replace a code if the app is lost. Open sessions stay signed in.",
      refuses: ["invalid_state_transition"],
      body: ConfirmFactor,
      answers: { 200: EnvelopedView(RecoveryCodesView) },
      answer: ({ call, body }) => confirm(call, body, secret_key, tries),
    }),
    respond("POST", "/users/me/second_factor/recovery_codes", "user", {
      id: "renewRecoveryCodes",
      summary: "Renew your recovery codes",
      description:
        "Returns ten new codes, which only this response contains; the old ones stop working. Use it when few are" +
        " left or somebody may have seen them.",
      refuses: ["invalid_credentials", "invalid_state_transition"],
      body: PasswordConfirmation,
      answers: { 200: EnvelopedView(RecoveryCodesView) },
      answer: ({ call, body }) => renew(call, body, secret_key, tries),
    }),
    respond("POST", "/users/me/second_factor/turn_off", "user", {
      id: "turnOffSecondFactor",
      summary: "Turn off your second factor",
      description:
        "From then on you sign in with your password only. The secret and the recovery codes are deleted. Owners" +
        " cannot turn it off on a server that other machines can reach.",
      refuses: ["invalid_credentials", "invalid_state_transition"],
      body: PasswordConfirmation,
      answers: { 200: EnvelopedView(FactorView) },
      answer: ({ call, body }) =>
        withPassword(call, body, tries, async (tx, user) => {
          if (needsFactor(user, service)) throw required();
          await turnOffSecondFactor(tx, user.id);
          return factorView(tx, user, service);
        }),
    }),
  ]);
}

const required = () =>
  new Fault(
    "invalid_state_transition",
    "This server is reachable from other computers, so owners must use two-factor authentication.",
    {
      from: "on",
      action: "turn_off",
      allowed_actions: [],
    },
  );

async function factorView(db: Db, user: User, service: Service) {
  const factor = await findSecondFactor(db, user.id);
  return {
    status: factorStatus(factor),
    required: needsFactor(user, service),
    confirmed_at: isoOrNull(factor?.confirmed_at ?? null),
    recovery_codes_left: await countCodes(db, user.id),
  };
}

const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));

function confirm(
  call: Call,
  { code }: ConfirmFactor,
  secret_key: Uint8Array,
  tries: AttemptLimiter,
): Promise<Response> {
  const random = randomBytes(recovery_bytes);
  return tried(call, tries, () =>
    answerWrite(
      call,
      200,
      async (tx) => {
        const user = await getSelf(tx, call.actor.id);
        return { recovery_codes: await confirmSecondFactor(tx, user.id, code, secret_key, random) };
      },
      enveloped,
      secret_key,
    ),
  );
}

function renew(
  call: Call,
  body: PasswordConfirmation,
  secret_key: Uint8Array,
  tries: AttemptLimiter,
): Promise<Response> {
  const random = randomBytes(recovery_bytes);
  const work = async (tx: Tx, { id }: User) => {
    const status = factorStatus(await findSecondFactor(tx, id));
    if (status === "on") return { recovery_codes: await renewRecoveryCodes(tx, id, random) };
    throw new Fault("invalid_state_transition", "Two-factor authentication is not set up. Set it up first.", {
      from: status,
      action: "renew",
      allowed_actions: ["begin"],
    });
  };
  return withPassword(call, body, tries, work, secret_key);
}

/** Runs work that requires the user's password again. Refuses: invalid_credentials, rate_limited. */
function withPassword<Data>(
  call: Call,
  { password }: PasswordConfirmation,
  tries: AttemptLimiter,
  work: (tx: Tx, user: User) => Promise<Data>,
  secret_key: Uint8Array | null = null,
): Promise<Response> {
  return tried(call, tries, async () => {
    const before = await call.store.read((db) => getSelf(db, call.actor.id));
    if (!(await isPassword(password, before.password_hash))) throw wrongPassword();
    const act = async (tx: Tx) => {
      const user = await getSelf(tx, call.actor.id);
      if (user.password_hash !== before.password_hash) throw wrongPassword();
      return work(tx, user);
    };
    return answerWrite(call, 200, act, enveloped, secret_key);
  });
}

const wrongPassword = () => new Fault("invalid_credentials", "The password is wrong.");

/** Lets a user try a password or a code, within the limit on failures. Refuses: rate_limited. */
async function tried(call: Call, tries: AttemptLimiter, work: () => Promise<Response>): Promise<Response> {
  const { id } = call.actor;
  const retry_after_seconds = tries.begin(id, call.store.clock.now());
  if (retry_after_seconds > 0) {
    throw new Fault("rate_limited", "Too many failed attempts. Try again later.", { retry_after_seconds });
  }
  const answer = await work();
  if (answer.ok) tries.succeeded(id);
  return answer;
}
