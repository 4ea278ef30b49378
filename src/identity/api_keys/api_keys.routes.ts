import { iso, isoOrNull, momentOf } from "../../core/clock.ts";
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { addressList } from "../../core/ip_addresses.ts";
import { grantOf, refuseBeyond } from "../../http/auth/permissions.ts";
import type { Call } from "../../http/call.ts";
import { tagged } from "../../http/preconditions.ts";
import { list, read, routes, write } from "../../http/routes.ts";
import { clientOf, type Service } from "../../http/service.ts";
import { merchantForRequest } from "../../merchants/directory.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { CreatedKeyView, CreateKey, DeleteKey, KeyView, RevokeKey, RotateKey, UpdateKey } from "./api_key.schema.ts";
import { type ApiKey, prefixOf, statusOf } from "./api_key.ts";
import { IpListObserver } from "./api_keys.jobs.ts";
import { findObservations, getKey, type IpObservation, keyList } from "./api_keys.sql.ts";
import { type CreatedKey, createKey, lockKey, revokeKey, rotateKey, updateKey } from "./api_keys.ts";

const overlap_seconds_default = 24 * 3600;
const random_bytes = 96;

/** The routes of API keys. They show the keys of the caller's environment. */
export const keyRoutes = (service: Service) =>
  routes("Keys", [...recordRows(service, new IpListObserver(service)), ...changeRows(service)]);

const recordRows = (service: Service, observer: IpListObserver) => [
  list("/keys", "keys.manage", {
    id: "listKeys",
    summary: "List API keys",
    description:
      "The keys of the environment of this request, including expired and revoked ones. The keys themselves are not" +
      " stored and cannot be shown: tell them apart by `name` and `last_four`.",
    of: keyList,
    view: KeyView,
    views: async (keys, db) => {
      const observations = await findObservations(
        db,
        keys.map(({ id }) => id),
      );
      return keys.map((key) => keyView(db, key, observations.get(key.id)));
    },
  }),
  write("POST", "/keys", "keys.manage", {
    id: "createKey",
    summary: "Create an API key",
    description:
      "Only this response contains the key: store it at once. It belongs to the environment of this request, and" +
      " cannot have more permissions than you have. The operator and each merchant can have 20 active keys.",
    refuses: ["key_limit"],
    tagged: true,
    body: CreateKey,
    view: CreatedKeyView,
    status: 201,
    secret_key: service.secret_key,
    prepare: async ({ call, body }) => {
      refuseBeyond(call.granted, grantOf(body.permission, call.store.mode).permissions);
      return (await merchantForRequest(call, body.merchant_id)) ?? null;
    },
    act: async (tx, { body: { name, permission, ...body }, prepared: merchant_id }) => {
      // A list without a mode is enforced.
      const ip_mode = body.ip_list?.length ? "enforce" : "off";
      const input = { name, permission, merchant_id, ip_mode, ...settingsOf(body) } as const;
      return createdAnswer(tx, await createKey(tx, input, randomBytes()));
    },
  }),
  read("/keys/:id", "keys.manage", {
    id: "getKey",
    summary: "Get an API key",
    description:
      "Shows its settings, when it was last used and, in `observe` mode, which requests its IP list would refuse.",
    tagged: true,
    view: KeyView,
    // So that the response includes the latest requests.
    prepare: () => observer.flush(),
    data: async (db, { params }) => keyAnswer(db, await getKey(db, params.id)),
  }),
];

const changeRows = (service: Service) => [
  write("PATCH", "/keys/:id", "keys.manage", {
    id: "updateKey",
    summary: "Update a key's name, addresses, limit or expiry",
    description:
      "Takes effect within a second. The permission of a key is fixed: create another key for that. A change that" +
      " would leave no full-access key, or lock out the key that makes it, needs `allow_lockout`.",
    refuses: ["immutable_field", "invalid_state_transition", "would_lock_out"],
    tagged: true,
    body: UpdateKey,
    view: KeyView,
    matches: lockedKey,
    act: async (tx, { call, params, body }) => {
      const { permission, allow_lockout = false } = body;
      const change = { ...settingsOf(body), ...(permission !== undefined && { permission }) };
      const key = await updateKey(tx, params.id, change, allow_lockout);
      if (!allow_lockout) refuseOwnLockout(call, key, service);
      return keyAnswer(tx, key);
    },
  }),
  write("DELETE", "/keys/:id", "keys.manage", {
    id: "deleteKey",
    summary: "Revoke an API key",
    description:
      "The same as revoking it now: requests with it are refused, and it stays in the list as `revoked`. Repeating it" +
      " changes nothing.",
    refuses: ["would_lock_out"],
    tagged: true,
    query: DeleteKey,
    view: KeyView,
    matches: lockedKey,
    act: async (tx, { params, query: { allow_lockout = false } }) =>
      keyAnswer(tx, await revokeKey(tx, params.id, null, allow_lockout)),
  }),
  write("POST", "/keys/:id/rotate", "keys.manage", {
    id: "rotateKey",
    summary: "Rotate an API key",
    description:
      "Creates a key with the same settings, which only this response contains. The old key works until the overlap" +
      " ends, so that you can replace it everywhere without an interruption. A key can be rotated once.",
    refuses: ["invalid_state_transition", "key_limit", "rotation_in_progress"],
    tagged: true,
    body: RotateKey,
    view: CreatedKeyView,
    status: 201,
    secret_key: service.secret_key,
    matches: lockedKey,
    act: async (tx, { call, params: { id }, body: { overlap_seconds = overlap_seconds_default } }) => {
      const { permission } = await lockKey(tx, id);
      refuseBeyond(call.granted, grantOf(permission, tx.mode).permissions);
      return createdAnswer(tx, await rotateKey(tx, id, overlap_seconds, randomBytes()));
    },
  }),
  write("POST", "/keys/:id/revoke", "keys.manage", {
    id: "revokeKey",
    summary: "Revoke an API key, now or later",
    description:
      "Requests with the key are refused from `at` on. It cannot be undone afterwards; until then, another `at`" +
      " replaces the first. Revoking a revoked key changes nothing.",
    refuses: ["would_lock_out"],
    tagged: true,
    body: RevokeKey,
    view: KeyView,
    matches: lockedKey,
    act: async (tx, { params, body: { at, allow_lockout = false } }) =>
      keyAnswer(tx, await revokeKey(tx, params.id, momentOf(at) ?? null, allow_lockout)),
  }),
];

const randomBytes = () => crypto.getRandomValues(new Uint8Array(random_bytes));

/** The key as its GET shows it, locked. */
async function lockedKey(tx: Tx, { params }: { readonly params: { readonly id: string } }) {
  return keyAnswer(tx, await lockKey(tx, params.id));
}

/** Refuses an IP list that a key sets for itself if its current address is not in it. */
function refuseOwnLockout(call: Call, key: ApiKey, service: Service): void {
  if (call.actor.id !== wireId("key", key.id) || key.ip_mode !== "enforce") return;
  const address = clientOf(service, call.request);
  if (address !== null && addressList(key.ip_list).includes(address)) return;
  throw new Fault("would_lock_out", "Your own IP address is not in the list. Send allow_lockout to set it anyway.", {
    key: wireId("key", key.id),
  });
}

type RequestedKeySettings = Pick<UpdateKey, "name" | "ip_mode" | "ip_list" | "rate_limit_per_minute" | "expires_at">;

function settingsOf({ name, ip_mode, ip_list, rate_limit_per_minute, expires_at }: RequestedKeySettings) {
  return {
    ...(name !== undefined && { name }),
    ...(ip_mode !== undefined && { ip_mode }),
    ...(ip_list !== undefined && { ip_list }),
    ...(rate_limit_per_minute !== undefined && { rate_limit_per_minute }),
    ...(expires_at !== undefined && { expires_at: momentOf(expires_at) }),
  };
}

/** The tagged view of one key: its use and the clock change it without a new revision. */
const keyAnswer = (db: Db, key: ApiKey) => keyAnswerWith(db, key, {});

/** As `keyAnswer`, with the text of a new key. The response that is stored for replays is encrypted. */
const createdAnswer = (tx: Tx, { key, text }: CreatedKey) => keyAnswerWith(tx, key, { key: text });

async function keyAnswerWith<Made extends { readonly key?: string }>(db: Db, key: ApiKey, made: Made) {
  const view = keyView(db, key, (await findObservations(db, [key.id])).get(key.id));
  return tagged({ ...view, ...made }, key.revision, view);
}

/** A key as the API shows it. */
function keyView({ mode, now }: Pick<Db, "mode" | "now">, key: ApiKey, observed?: IpObservation) {
  return {
    id: wireId("key", key.id),
    merchant_id: key.merchant_id === null ? null : wireId("merchant", key.merchant_id),
    name: key.name,
    mode,
    permission: key.permission,
    prefix: prefixOf(mode),
    last_four: key.last_four,
    status: statusOf(key, now),
    ip_mode: key.ip_mode,
    ip_list: key.ip_list,
    rate_limit_per_minute: key.rate_limit_per_minute,
    created_at: iso(key.created_at),
    last_used_at: isoOrNull(key.last_used_at),
    expires_at: isoOrNull(key.expires_at),
    revoked_at: isoOrNull(key.revoked_at),
    replaced_by: key.replaced_by === null ? null : wireId("key", key.replaced_by),
    observed: observed === undefined ? null : observationView(observed),
  };
}

function observationView({ denied, last_at, addresses }: IpObservation) {
  const shown = addresses.map(({ address, at }) => ({ address, at: iso(at) }));
  return { denied, last_at: iso(last_at), addresses: shown };
}
