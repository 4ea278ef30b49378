import { Fault } from "../../core/faults.ts";
import { failureRate } from "../../http/auth/rate_limits.ts";
import type { Call } from "../../http/call.ts";
import { read, routes, write } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import type { Db } from "../../storage/database.ts";
import { changeable } from "../sessions/sessions.routes.ts";
import { type AttemptLimiter, attempts } from "../sessions/sign_in.ts";
import { hashNewPin, isPassword } from "../users/passwords.ts";
import { getSelf, getUser } from "../users/users.sql.ts";
import { BadgeView, NewBadgeView, SetOwnPin, SetPin } from "./badge.schema.ts";
import { badge_bytes, badgeBarcode, badgeView } from "./badge.ts";
import { findBadge } from "./badges.sql.ts";
import { makeBadge, removeBadge, setPin } from "./badges.ts";

/** The routes of users' badges and PINs. */
export const badgeRoutes = (service: Service) => routes("Users", [...recordRows(service), ...ownRows()]);

const recordRows = ({ secret_key }: Service) => [
  read("/users/:id/badge", "users.manage", {
    id: "getBadge",
    summary: "Get the state of a user's badge and PIN",
    description: "Shows whether the user can sign in by badge on floor devices. The badge's code is not stored.",
    view: BadgeView,
    data: async (db, { params }) => shown(db, await getUser(db, params.id)),
  }),
  write("POST", "/users/:id/badge", "users.manage", {
    id: "makeBadge",
    summary: "Make a new badge for a user",
    description:
      "Only this response contains the code and its barcode: print it. The user's old badge stops working at once," +
      " and sessions that began with it end. Users of merchants get no badge.",
    refuses: ["not_for_merchants"],
    view: NewBadgeView,
    status: 201,
    secret_key,
    act: async (tx, { call, params }) => {
      const user = await changeable(tx, call, params.id);
      const code = await makeBadge(tx, user, crypto.getRandomValues(new Uint8Array(badge_bytes)));
      return { ...(await shown(tx, user)), code, barcode_svg: badgeBarcode(code) };
    },
  }),
  write("DELETE", "/users/:id/badge", "users.manage", {
    id: "removeBadge",
    summary: "Remove the badge of a user",
    description: "For a lost badge. It stops working at once, and sessions that began with it end. The PIN stays.",
    view: BadgeView,
    act: async (tx, { call, params }) => {
      const user = await changeable(tx, call, params.id);
      await removeBadge(tx, user);
      return shown(tx, user);
    },
  }),
  write("PUT", "/users/:id/pin", "users.manage", {
    id: "setPin",
    summary: "Set a temporary PIN for a user",
    description:
      "For a new or a forgotten PIN. It also unlocks the badge. At the next sign-in by badge, the user has to choose" +
      " a PIN of their own.",
    refuses: ["not_for_merchants"],
    body: SetPin,
    view: BadgeView,
    long: true,
    prepare: ({ body }) => hashNewPin(body.pin, "pin"),
    act: async (tx, { call, params, prepared: pin_hash }) => {
      const user = await changeable(tx, call, params.id);
      await setPin(tx, user, pin_hash, true);
      return shown(tx, user);
    },
  }),
];

/** The routes of the signed-in user's own badge and PIN. */
function ownRows() {
  const tries = attempts(failureRate);
  return [
    read("/users/me/badge", "user", {
      id: "getMyBadge",
      summary: "Get the state of your badge and PIN",
      description: "An administrator makes and replaces badges with `POST /users/{id}/badge`.",
      view: BadgeView,
      data: async (db, { call }) => shown(db, await getSelf(db, call.actor.id)),
    }),
    write("PUT", "/users/me/pin", "user", {
      id: "setMyPin",
      summary: "Set your PIN",
      description:
        "The PIN that is asked with your badge, on floor devices. It also unlocks the badge. After ten wrong" +
        " passwords, further ones are refused for a while.",
      refuses: ["invalid_credentials", "not_for_merchants"],
      body: SetOwnPin,
      view: BadgeView,
      long: true,
      prepare: ({ call, body }) => hashIfCorrect(call, body, tries),
      act: async (tx, { call, prepared: { password_hash, pin_hash } }) => {
        const user = await getSelf(tx, call.actor.id);
        if (user.password_hash !== password_hash) throw wrongPassword();
        await setPin(tx, user, pin_hash, false);
        return shown(tx, user);
      },
    }),
  ];
}

const shown = async (db: Db, { id }: { readonly id: number }) => badgeView(await findBadge(db, id), db.now);

const wrongPassword = () => new Fault("invalid_credentials", "The password is wrong.");

/** Returns the hash of a new PIN. Refuses: invalid_credentials (wrong password), validation_failed, rate_limited. */
async function hashIfCorrect(call: Call, { current_password, pin }: SetOwnPin, tries: AttemptLimiter) {
  const { id } = call.actor;
  const { password_hash } = await call.store.read((db) => getSelf(db, id));
  const retry_after_seconds = tries.begin(id, call.store.clock.now());
  if (retry_after_seconds > 0) {
    throw new Fault("rate_limited", "Too many wrong passwords. Try again later.", { retry_after_seconds });
  }
  if (!(await isPassword(current_password, password_hash))) throw wrongPassword();
  tries.succeeded(id);
  return { password_hash, pin_hash: await hashNewPin(pin, "pin") };
}
