import { Elysia } from "elysia";
import { iso, isoOrNull, momentOf } from "../../core/clock.ts";
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { addressList } from "../../core/ip_addresses.ts";
import { bodyOf, queryOf } from "../../core/schema.ts";
import { grantOf, refuseBeyond } from "../../http/auth/permissions.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, enveloped, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/pagination.ts";
import { requireMatch, tagged } from "../../http/preconditions.ts";
import { answerRead, answerWrite } from "../../http/response.ts";
import { documentedAs } from "../../http/route.ts";
import { clientOf, type Service } from "../../http/service.ts";
import { merchantForRequest } from "../../merchants/directory.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import {
  CreatedKeyView,
  CreateKey,
  DeleteKey,
  KeyView,
  ListKeys,
  RevokeKey,
  RotateKey,
  UpdateKey,
} from "./api_key.schema.ts";
import { type ApiKey, prefixOf, statusOf } from "./api_key.ts";
import { IpListObserver } from "./api_keys.jobs.ts";
import { countKeys, findObservations, getKey, type IpObservation, listKeyPage } from "./api_keys.sql.ts";
import { type CreatedKey, createKey, lockKey, revokeKey, rotateKey, updateKey } from "./api_keys.ts";

const overlap_seconds_default = 24 * 3600;
const random_bytes = 96;

const managing = documentedAs({ needs: "keys.manage", chapter: "Keys" });

/** The routes of API keys. They show the keys of the caller's environment. */
export const keyRoutes = (service: Service) => routesOf(service, new IpListObserver(service));

const routesOf = (service: Service, observer: IpListObserver) =>
  new Elysia({ prefix: "/keys" })
    .use(conventions)
    .get("", ({ call, query }) => list(call, query), {
      query: queryOf(ListKeys),
      detail: managing({ id: "listKeys", summary: "List API keys", answers: { 200: ListView(KeyView) } }),
    })
    .post("", ({ call, body }) => create(call, body, service), {
      body: bodyOf(CreateKey),
      detail: managing({
        id: "createKey",
        tagged: true,
        summary: "Create an API key",
        answers: { 201: EnvelopedView(CreatedKeyView) },
        refuses: ["key_limit"],
      }),
    })
    .get("/:id", ({ call, params }) => show(call, params.id, observer), {
      detail: managing({
        id: "getKey",
        tagged: true,
        summary: "Get an API key",
        answers: { 200: EnvelopedView(KeyView) },
      }),
    })
    .patch("/:id", ({ call, params, body }) => update(call, params.id, body, service), {
      body: bodyOf(UpdateKey),
      detail: managing({
        id: "updateKey",
        matches: true,
        tagged: true,
        summary: "Update a key's name, addresses, limit or expiry",
        answers: { 200: EnvelopedView(KeyView) },
        refuses: ["immutable_field", "invalid_state_transition", "would_lock_out"],
      }),
    })
    .delete("/:id", ({ call, params, query }) => revoke(call, params.id, query), {
      query: queryOf(DeleteKey),
      detail: managing({
        id: "deleteKey",
        matches: true,
        tagged: true,
        summary: "Delete an API key",
        answers: { 200: EnvelopedView(KeyView) },
        refuses: ["would_lock_out"],
      }),
    })
    .post("/:id/rotate", ({ call, params, body }) => rotate(call, params.id, body, service), {
      body: bodyOf(RotateKey),
      detail: managing({
        id: "rotateKey",
        matches: true,
        tagged: true,
        summary: "Rotate an API key",
        description: "The response contains the new key. The old key works until the overlap ends.",
        answers: { 201: EnvelopedView(CreatedKeyView) },
        refuses: ["invalid_state_transition", "key_limit", "rotation_in_progress"],
      }),
    })
    .post("/:id/revoke", ({ call, params, body }) => revoke(call, params.id, body), {
      body: bodyOf(RevokeKey),
      detail: managing({
        id: "revokeKey",
        matches: true,
        tagged: true,
        summary: "Revoke an API key, now or later",
        answers: { 200: EnvelopedView(KeyView) },
        refuses: ["would_lock_out"],
      }),
    });

async function show(call: Call, id: string, observer: IpListObserver): Promise<Response> {
  // So that the response includes the latest requests.
  await observer.flush();
  return answerRead(call, async (db) => keyAnswer(db, await getKey(db, id)));
}

function list(call: Call, query: ListKeys): Promise<Response> {
  const filters = { status: query.status ?? null };
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listKeyPage(db, filters, window),
      count: (db) => countKeys(db, filters),
      position: ({ created_at, id }) => [created_at, id],
    },
    async (keys, db) => {
      const observations = await findObservations(
        db,
        keys.map(({ id }) => id),
      );
      return keys.map((key) => keyView(db, key, observations.get(key.id)));
    },
  );
}

async function create(call: Call, { name, permission, ...body }: CreateKey, service: Service): Promise<Response> {
  refuseBeyond(call.granted, grantOf(permission, call.store.mode).permissions);
  // A list without a mode is enforced.
  const ip_mode = body.ip_list?.length ? "enforce" : "off";
  const merchant_id = (await merchantForRequest(call, body.merchant_id)) ?? null;
  return answerMade(call, service, (tx, random) =>
    createKey(tx, { name, permission, merchant_id, ip_mode, ...settingsOf(body) }, random),
  );
}

function rotate(call: Call, id: string, body: RotateKey, service: Service): Promise<Response> {
  const { overlap_seconds = overlap_seconds_default } = body;
  return answerMade(call, service, async (tx, random) => {
    await requireVersion(tx, call, id);
    const { permission } = await lockKey(tx, id);
    refuseBeyond(call.granted, grantOf(permission, tx.mode).permissions);
    return rotateKey(tx, id, overlap_seconds, random);
  });
}

function update(call: Call, id: string, body: UpdateKey, service: Service): Promise<Response> {
  const { permission, allow_lockout = false } = body;
  const change = { ...settingsOf(body), ...(permission !== undefined && { permission }) };
  return answerWrite(call, 200, async (tx) => {
    await requireVersion(tx, call, id);
    const key = await updateKey(tx, id, change, allow_lockout);
    if (!allow_lockout) refuseOwnLockout(call, key, service);
    return keyAnswer(tx, key);
  });
}

function revoke(call: Call, id: string, { at, allow_lockout = false }: RevokeKey): Promise<Response> {
  const moment = momentOf(at) ?? null;
  return answerWrite(call, 200, async (tx) => {
    await requireVersion(tx, call, id);
    return keyAnswer(tx, await revokeKey(tx, id, moment, allow_lockout));
  });
}

/** Checks `If-Match`, if sent. Refuses: resource_missing, precondition_failed, malformed_header. */
function requireVersion(tx: Tx, call: Call, id: string): Promise<void> {
  return requireMatch(call, async () => keyAnswer(tx, await lockKey(tx, id)));
}

/** Creates a key and responds with its text. The response that is stored for replays is encrypted. */
function answerMade(
  call: Call,
  service: Service,
  make: (tx: Tx, random: Uint8Array) => Promise<CreatedKey>,
): Promise<Response> {
  const random = crypto.getRandomValues(new Uint8Array(random_bytes));
  const work = async (tx: Tx) => {
    const { key, text } = await make(tx, random);
    return keyAnswer(tx, key, { key: text });
  };
  return answerWrite(call, 201, work, enveloped, service.secret_key);
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

/** The tagged view of one key: its use and the clock change it without a new version. */
async function keyAnswer(db: Db, key: ApiKey, made: { readonly key?: string } = {}) {
  const view = keyView(db, key, (await findObservations(db, [key.id])).get(key.id));
  return tagged({ ...view, ...made }, key.version, view);
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
