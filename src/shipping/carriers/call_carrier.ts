// What all connectors share: how an API is called, how its answers are read, and how its refusals are reported.

import { systemClock } from "../../core/clock.ts";
import type { Environment } from "../../core/environment.ts";
import { Fault, type FaultCode, invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import { isCurrency, readNearestCents } from "../../core/money.ts";
import type { Service } from "../../http/service.ts";
import {
  type ApiFailure,
  type ApiParty,
  type ApiRequest,
  type ApiResult,
  askApi,
  defaultWords,
  type JsonFields,
  readText,
  refused,
  succeeded,
  understoodOr,
  without,
} from "../../outbound/api.ts";
import { createApi, outboundOf } from "../../outbound/caller.ts";
import type { Outbound } from "../../outbound/outbound.ts";
import type { Store } from "../../storage/database.ts";
import type { CarrierDocument } from "../offer.ts";
import { type CarrierAccount, type CredentialField, credentialsOf } from "./account.ts";
import type { CarrierContext, CarrierPurchase, OutsideCarrier } from "./connector.ts";

/** The connector's name in messages, and how its API is read. */
interface CalledCarrier {
  readonly name: string;
  readonly credentials: readonly CredentialField[];
  /** Where the API puts the reason of a refusal in its JSON, if not in the usual fields. */
  readonly wordsOf?: (said: unknown) => readonly unknown[];
}

/** One question to a carrier's API. */
export interface CarrierRequest extends Omit<ApiRequest, "body"> {
  /** Sent as JSON; without it the request has no body. */
  readonly json?: unknown;
  /** Statuses besides 2xx and 404 that count as an answer. */
  readonly also?: readonly number[];
}

/** How long to wait for rates, in milliseconds. */
export const rates_wait_ms = 8000;
/** How long to wait for a purchase, in milliseconds. */
export const purchase_wait_ms = 60_000;

/**
 * How many seconds to wait before looking up a purchase whose answer was lost: the carrier may still be working on it.
 */
export const settled_seconds = 60;

const words_max = 200;
const page_characters_max = 4000;

/** What a connector is given to reach a carrier: one caller for its API, one for documents that the carrier names. */
export function carrierCallerBy(
  outbound: Pick<Outbound, "call">,
  name: string,
): Pick<CarrierContext, "api" | "download"> {
  const party = partyOf({ name });
  const api = createApi(outbound, party);
  return {
    api,
    download: async (url) => {
      const answer = await api({ method: "GET", url, headers: { Accept: "*/*" }, body: null });
      if (succeeded(answer.status)) return answer.body;
      throw refused({ ...party, name: `A document of ${name}` }, { now: 0, secrets: [] }, answer);
    },
  };
}

/** The callers for a carrier's servers in a mode. Only the operator has accounts at carriers. */
function carrierCallerTo(service: Service, mode: Environment, name: string): Pick<CarrierContext, "api" | "download"> {
  return carrierCallerBy(outboundOf(service, mode, "operator"), name);
}

/** How a connector asks the API of one carrier and reads its answers. */
export function carrierCallerOf(carrier: CalledCarrier) {
  const party = partyOf(carrier);
  const paid: ApiParty = { ...party, refusal: refusalAfterPaying };
  const secretsOf = ({ credentials }: Pick<CarrierContext, "credentials">) =>
    carrier.credentials.flatMap(({ name, secret }) => (secret ? (credentials[name] ?? []) : []));
  const asked = async (
    whom: ApiParty,
    ctx: CarrierContext,
    { json, also = [], headers, ...question }: CarrierRequest,
  ): Promise<ApiResult> => {
    const typed = json === undefined ? headers : { "Content-Type": "application/json", ...headers };
    const body = json === undefined ? null : JSON.stringify(json);
    const means = { api: ctx.api, now: ctx.now, secrets: secretsOf(ctx) };
    return await askApi(whom, means, { ...question, headers: typed, body }, { also });
  };
  return {
    /** Asks for JSON. Refuses: carrier_error, carrier_timeout, carrier_refused, carrier_unauthorized. */
    ask: (ctx: CarrierContext, question: CarrierRequest) => asked(party, ctx, question),
    /**
     * Asks for what costs money. Like `ask`, but refuses with `carrier_timeout` whenever the purchase may have been
     * made: also when the carrier's server failed or its answer cannot be read.
     */
    pay: async (ctx: CarrierContext, question: CarrierRequest): Promise<ApiResult> => {
      try {
        return await asked(paid, ctx, question);
      } catch (error) {
        throw settlingLater(error);
      }
    },
    /** A text of the carrier that may be shown: one short line without secrets; null for none. */
    told: (ctx: CarrierContext, words: unknown): string | null => {
      const text = readText(words, words_max);
      return text === null ? null : without(secretsOf(ctx), text);
    },
    /** Reads an answer. Refuses: carrier_error, which names what cannot be read. */
    understood: <Said>(read: () => Said): Said => {
      const refusal = (problems: string) =>
        carrierFault("carrier_error", `The answer of ${carrier.name} cannot be read: ${problems}.`);
      return understoodOr(refusal, read);
    },
    /** Reads the answer to a purchase, which may be paid for. Refuses: carrier_timeout, where it cannot be read. */
    understoodPaid: <Said>(read: () => Said): Said => {
      const refusal = (problems: string) => {
        const words = `The answer of ${carrier.name} to a purchase cannot be read: ${problems}.`;
        return carrierFault("carrier_timeout", words, { permanent: false });
      };
      return understoodOr(refusal, read);
    },
    /** A credential that the call needs. Refuses: carrier_unauthorized. */
    needed: ({ credentials }: CarrierContext, name: string): string => {
      const text = credentials[name];
      if (text !== undefined && text !== "") return text;
      throw carrierFault("carrier_unauthorized", `The account has no ${name}, so ${carrier.name} cannot be called.`);
    },
  };
}

/** A refusal of a carrier, worded for people. Asking again does not help unless `facts` say so. */
export function carrierFault(
  code: Extract<FaultCode, `carrier_${string}`>,
  words: string,
  { permanent = true, retry_after_seconds: seconds = null }: Partial<ApiFailure> = {},
): Fault {
  return new Fault(code, words, { permanent, ...(seconds !== null && { retry_after_seconds: seconds }) });
}

function partyOf({ name, wordsOf = defaultWords }: Pick<CalledCarrier, "name" | "wordsOf">): ApiParty {
  return { name, answer_mebibytes_max: 10, explained, wordsOf, refusal };
}

function explained(status: number): string {
  if (status === 401) return ", it does not accept the account's credentials";
  if (status === 402) return ", payment is required";
  if (status === 403) return ", the account's credentials lack a permission";
  if (status === 429) return ", it was asked too often";
  if (status >= 300 && status < 400) return ", and redirects are not followed";
  return "";
}

function refusal(words: string, trouble: ApiFailure): Fault {
  const { status, written } = trouble;
  if (status === null) return carrierFault(written ? "carrier_timeout" : "carrier_error", words, trouble);
  if (status === 401 || status === 403) return carrierFault("carrier_unauthorized", words, trouble);
  return carrierFault([400, 402, 409, 422, 424].includes(status) ? "carrier_refused" : "carrier_error", words, trouble);
}

function refusalAfterPaying(words: string, trouble: ApiFailure): Fault {
  const { status } = trouble;
  if (status === null || status === 429 || (status >= 300 && status < 500 && status !== 408)) {
    return refusal(words, trouble);
  }
  return carrierFault("carrier_timeout", `${words} It is not known yet whether it was done.`, {
    ...trouble,
    permanent: false,
  });
}

/** Adds a time to a refusal that leaves open whether a purchase was made: when to look the purchase up. */
function settlingLater(error: unknown): unknown {
  if (!(error instanceof Fault) || error.code !== "carrier_timeout") return error;
  const { retry_after_seconds: seconds } = error.facts;
  const wait = Math.max(typeof seconds === "number" ? seconds : 0, settled_seconds);
  return new Fault(error.code, error.message, { ...error.facts, permanent: false, retry_after_seconds: wait });
}

/** An address of an API as an account gives it, without a slash at the end. */
export function baseOf(url: string): string {
  return url.trim().replace(/\/+$/, "");
}

/**
 * An amount, given as decimal text or a number, to the nearest minor unit of its currency; a discount is below zero.
 * Refuses: validation_failed.
 */
export function readAmount(value: unknown, currency: string, field: string): number {
  const text = typeof value === "number" || typeof value === "string" ? String(value).trim() : "";
  const cents = readNearestCents(text.replace(/^-/, ""), currency);
  if (cents === null) throw invalid(field, "must be an amount of money");
  return text.startsWith("-") ? 0 - cents : cents;
}

/** A required text. Refuses: validation_failed. */
export function readRequired(value: unknown, field: string, characters_max = words_max): string {
  const text = readText(value, characters_max);
  if (text === null) throw invalid(field, "must be a text");
  return text;
}

/** The address of a public page that a browser may be sent to; null for anything else. */
export function readPage(value: unknown): string | null {
  const url = URL.parse(readText(value, page_characters_max) ?? "");
  return url?.protocol === "https:" ? url.href : null;
}

/** Whole days, or null. */
export function readDays(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 1000 ? value : null;
}

/** The ISO 4217 code of a currency. Refuses: validation_failed. */
export function readCurrency(value: unknown, field: string): string {
  const code = typeof value === "string" ? value.trim().toUpperCase() : "";
  if (!isCurrency(code)) throw invalid(field, "must be the ISO 4217 code of a currency");
  return code;
}

const moment = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))? ?(Z|[+-]\d\d:?\d\d)?$/;

/** A moment in milliseconds, or null. A date alone means midnight; a time without a zone is UTC. */
export function readMoment(value: unknown): number | null {
  const [, date, time = "00:00", zone = "Z"] = (typeof value === "string" && moment.exec(value.trim())) || [];
  if (date === undefined) return null;
  const at = Date.parse(`${date}T${time}${zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone}`);
  return at > 0 ? at : null;
}

/** The JSON object of a callback. Refuses: validation_failed. */
export function readCallbackJson(raw: Uint8Array): JsonFields {
  let json: unknown = null;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(raw));
  } catch {
    throw invalid("body", "must be a JSON object");
  }
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json as JsonFields;
  throw invalid("body", "must be a JSON object");
}

/** A document, typed by its bytes and not by the declared type; none when the type is not one that is stored. */
export function documentsOf(kind: CarrierDocument["kind"], bytes: Uint8Array): CarrierDocument[] {
  const start = Buffer.from(bytes.subarray(0, 512)).toString("latin1");
  if (start.startsWith("%PDF-")) return [{ kind, content_type: "application/pdf", bytes }];
  if (start.startsWith("\u0089PNG\r\n")) return [{ kind, content_type: "image/png", bytes }];
  return start.includes("^XA") ? [{ kind, content_type: "application/zpl", bytes }] : [];
}

/**
 * A document of a purchase at the address that the carrier names; none when it can never be read. Refuses:
 * carrier_timeout, when it may be read later.
 */
export async function documentsAt(
  ctx: CarrierContext,
  kind: CarrierDocument["kind"],
  url: string,
): Promise<CarrierDocument[]> {
  try {
    return documentsOf(kind, await ctx.download(url));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.facts["permanent"] === true) return [];
    throw carrierFault("carrier_timeout", error.message, { permanent: false });
  }
}

/**
 * What became of an earlier purchase. Refuses: carrier_timeout, whatever the reason: the purchase may be paid for, so
 * it has to be looked up again.
 */
export async function madeBefore(found: Promise<CarrierPurchase>): Promise<CarrierPurchase> {
  try {
    return await found;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const seconds = error.facts["retry_after_seconds"];
    const retry_after_seconds = typeof seconds === "number" ? seconds : null;
    throw carrierFault("carrier_timeout", error.message, { permanent: false, retry_after_seconds });
  }
}

// How a connector calls a carrier: with the credentials of an account, opened for one call, and with a caller of its
// API.

const realTime = systemClock();

/** All that a connector needs to call a carrier for an account. Carriers use real time, in the sandbox too. */
export function accessTo(
  account: CarrierAccount,
  connector: OutsideCarrier,
  store: Store,
  service: Service,
): CarrierContext {
  const { id, name } = account;
  const { mode, clock } = store;
  return {
    account: { id, name },
    mode,
    credentials: credentialsOf(account, service.secret_key),
    ...carrierCallerTo(service, mode, connector.name),
    now: mode === "live" ? clock.now() : realTime.now(),
  };
}

// A shorter credential would also remove ordinary words from messages.
const shortest_secret = 6;

/** An error of a connector as a refusal whose words repeat no credential. An unexpected error is logged as well. */
export function refusalOf(error: unknown, { credentials, account }: CarrierContext, log: Log): Fault {
  const secrets = Object.values(credentials).filter(({ length }) => length >= shortest_secret);
  if (!(error instanceof Fault)) {
    const stack = error instanceof Error ? error.stack : String(error);
    const facts = { account: wireId("carrier_account", account.id), error: without(secrets, stack ?? "") };
    log.error("a carrier's connector failed", facts);
    return new Fault("carrier_error", "The carrier's answer was not understood; the log of the service says more.");
  }
  const told = without(secrets, error.message);
  return told === error.message ? error : new Fault(error.code, told, error.facts);
}

/** Waits for a carrier's answer for so many milliseconds. Refuses: carrier_timeout, and what the answer refuses. */
export async function inTime<Answer>(answer: Promise<Answer>, name: string, wait_ms: number): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = new Fault("carrier_timeout", `${name} did not answer within ${wait_ms / 1000} seconds.`);
  const timer = setTimeout(() => reject(late), wait_ms);
  return await Promise.race([answer, promise]).finally(() => clearTimeout(timer));
}
