// What all connectors share: calling an API, parsing its replies and reporting its refusals.

import type { Environment } from "../../core/environment.ts";
import { Fault, type FaultCode, invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import { isCurrency, readNearestCents } from "../../core/money.ts";
import { labelTypeOf } from "../../files/read_upload.ts";
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
import { createApi, outboundOf, partyTime } from "../../outbound/caller.ts";
import type { Outbound } from "../../outbound/outbound.ts";
import type { Store } from "../../storage/database.ts";
import type { CarrierDocument } from "../offer.ts";
import { type CarrierAccount, type CredentialField, credentialsOf } from "./account.ts";
import type { CarrierContext, CarrierPurchase, OutsideCarrier } from "./connector.ts";

/** A carrier's name in messages, its credential fields, and where its API puts reasons. */
interface CalledCarrier {
  readonly name: string;
  readonly credentials: readonly CredentialField[];
  /** Where the API puts the reason for a refusal in its JSON, if not in the usual fields. */
  readonly wordsOf?: (reply: unknown) => readonly unknown[];
}

/** One request to a carrier's API. */
export interface CarrierRequest extends Omit<ApiRequest, "body"> {
  /** Sent as JSON. Without it, the request has no body. */
  readonly json?: unknown;
  /** Statuses other than 2xx and 404 that do not count as failures. */
  readonly also?: readonly number[];
}

/** The timeout of a request for rates, in milliseconds. */
export const rates_wait_ms = 8000;
/** The timeout of a purchase, in milliseconds. */
export const purchase_wait_ms = 60_000;

/** The delay in seconds before a purchase with a lost reply is looked up: the carrier may still be working on it. */
export const settled_seconds = 60;

const words_max = 200;
const page_characters_max = 4000;

/** Creates the callers with which a connector reaches a carrier: one for its API, one for documents it links to. */
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

/** The callers for a carrier's servers in an environment. Only the operator has accounts at carriers. */
function carrierCallerTo(service: Service, mode: Environment, name: string): Pick<CarrierContext, "api" | "download"> {
  return carrierCallerBy(outboundOf(service, mode, "operator"), name);
}

/** Creates the functions with which a connector calls the API of one carrier and parses its replies. */
export function carrierCallerOf(carrier: CalledCarrier) {
  const party = partyOf(carrier);
  const paid: ApiParty = { ...party, refusal: refusalAfterPaying };
  const secretsOf = ({ credentials }: Pick<CarrierContext, "credentials">) =>
    carrier.credentials.flatMap(({ name, secret }) => (secret ? (credentials[name] ?? []) : []));
  const send = async (
    party: ApiParty,
    ctx: CarrierContext,
    { json, also = [], headers, ...request }: CarrierRequest,
  ): Promise<ApiResult> => {
    const typed = json === undefined ? headers : { "Content-Type": "application/json", ...headers };
    const body = json === undefined ? null : JSON.stringify(json);
    const means = { api: ctx.api, now: ctx.now, secrets: secretsOf(ctx) };
    return await askApi(party, means, { ...request, headers: typed, body }, { also });
  };
  return {
    /** Sends a request for JSON. Refuses: carrier_error, carrier_timeout, carrier_refused, carrier_unauthorized. */
    ask: (ctx: CarrierContext, request: CarrierRequest) => send(party, ctx, request),
    /**
     * Sends a request that costs money. Like `ask`, but refuses with `carrier_timeout` whenever the purchase may have
     * been made: also when the carrier's server failed or its reply cannot be parsed.
     */
    pay: async (ctx: CarrierContext, request: CarrierRequest): Promise<ApiResult> => {
      try {
        return await send(paid, ctx, request);
      } catch (error) {
        throw settlingLater(error);
      }
    },
    /** The carrier's text as it may be shown: one short line without secrets; null if there is none. */
    safeText: (ctx: CarrierContext, words: unknown): string | null => {
      const text = readText(words, words_max);
      return text === null ? null : without(secretsOf(ctx), text);
    },
    /** Parses a reply. Refuses: carrier_error, naming what cannot be parsed. */
    parseReply: <T>(read: () => T): T => {
      const refusal = (problems: string) =>
        carrierFault("carrier_error", `The response from ${carrier.name} is not valid: ${problems}.`);
      return understoodOr(refusal, read);
    },
    /**
     * Parses the reply to a purchase that may have been charged. Refuses: carrier_timeout, when it cannot be parsed.
     */
    parsePurchase: <T>(read: () => T): T => {
      const refusal = (problems: string) => {
        const words = `The response from ${carrier.name} to a purchase is not valid: ${problems}.`;
        return carrierFault("carrier_timeout", words, { permanent: false });
      };
      return understoodOr(refusal, read);
    },
    /** Returns a credential that the call needs. Refuses: carrier_unauthorized. */
    requireCredential: ({ credentials }: CarrierContext, name: string): string => {
      const text = credentials[name];
      if (text !== undefined && text !== "") return text;
      throw carrierFault("carrier_unauthorized", `The account has no ${name}. Add it to call ${carrier.name}.`);
    },
  };
}

/** Creates a fault for a carrier's refusal. It is permanent unless the third argument says otherwise. */
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
  if (status === 429) return ", too many requests were sent";
  if (status >= 300 && status < 400) return ", and redirects are not followed";
  return "";
}

function refusal(words: string, failure: ApiFailure): Fault {
  const { status, written } = failure;
  if (status === null) return carrierFault(written ? "carrier_timeout" : "carrier_error", words, failure);
  if (status === 401 || status === 403) return carrierFault("carrier_unauthorized", words, failure);
  return carrierFault([400, 402, 409, 422, 424].includes(status) ? "carrier_refused" : "carrier_error", words, failure);
}

function refusalAfterPaying(words: string, failure: ApiFailure): Fault {
  const { status } = failure;
  if (status === null || status === 429 || (status >= 300 && status < 500 && status !== 408)) {
    return refusal(words, failure);
  }
  return carrierFault("carrier_timeout", `${words} The purchase may have been made.`, {
    ...failure,
    permanent: false,
  });
}

/** Makes a timeout of a purchase temporary and sets the delay after which to look the purchase up. */
function settlingLater(error: unknown): unknown {
  if (!(error instanceof Fault) || error.code !== "carrier_timeout") return error;
  const { retry_after_seconds: seconds } = error.facts;
  const wait = Math.max(typeof seconds === "number" ? seconds : 0, settled_seconds);
  return new Fault(error.code, error.message, { ...error.facts, permanent: false, retry_after_seconds: wait });
}

const label_formats = ["PDF", "PNG", "ZPL"] as const;
export type LabelFormat = (typeof label_formats)[number];

/** The credential with the format of an account's labels. */
export const labelFormatField: CredentialField = {
  name: "label_format",
  secret: false,
  required: false,
  description: "The format of labels: PDF (the default), PNG or ZPL.",
};

/** The label format of an account. Refuses: carrier_refused. */
export function labelFormatOf({ credentials: { label_format } }: CarrierContext): LabelFormat {
  const wanted = label_format?.trim().toUpperCase() || "PDF";
  const format = label_formats.find((one) => one === wanted);
  if (format !== undefined) return format;
  throw carrierFault("carrier_refused", `The account's label_format must be one of ${label_formats.join(", ")}.`);
}

/** The credential with the URL of an API that is usually at `home`. */
export const apiUrlField = (home: string): CredentialField => ({
  name: "api_url",
  secret: false,
  required: false,
  description: `The base URL of the API, if it is not ${home}.`,
});

/** Returns the base URL from an account's credentials without trailing slashes. */
export function baseOf(url: string): string {
  return url.trim().replace(/\/+$/, "");
}

/**
 * Reads an amount from decimal text or a number, to the nearest minor unit of its currency. A discount is negative.
 * Refuses: validation_failed.
 */
export function readAmount(value: unknown, currency: string, field: string): number {
  const text = typeof value === "number" || typeof value === "string" ? String(value).trim() : "";
  const cents = readNearestCents(text.replace(/^-/, ""), currency);
  if (cents === null) throw invalid(field, "must be an amount");
  return text.startsWith("-") ? 0 - cents : cents;
}

/** Reads a required text. Refuses: validation_failed. */
export function readRequired(value: unknown, field: string, characters_max = words_max): string {
  const text = readText(value, characters_max);
  if (text === null) throw invalid(field, "must be a text");
  return text;
}

/** Reads the https URL of a public page; null for anything else. */
export function readPage(value: unknown): string | null {
  const url = URL.parse(readText(value, page_characters_max) ?? "");
  return url?.protocol === "https:" ? url.href : null;
}

/** Reads a whole number of days below 1,000, or null. */
export function readDays(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 1000 ? value : null;
}

/** Reads a currency as its ISO 4217 code. Refuses: validation_failed. */
export function readCurrency(value: unknown, field: string): string {
  const code = typeof value === "string" ? value.trim().toUpperCase() : "";
  if (!isCurrency(code)) throw invalid(field, "must be an ISO 4217 currency code");
  return code;
}

const timestamp = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))? ?(Z|[+-]\d\d:?\d\d)?$/;

/** Reads a timestamp as milliseconds, or null. A date alone means midnight; a time without a zone is UTC. */
export function readTimestamp(value: unknown): number | null {
  const [, date, time = "00:00", zone = "Z"] = (typeof value === "string" && timestamp.exec(value.trim())) || [];
  if (date === undefined) return null;
  const at = Date.parse(`${date}T${time}${zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone}`);
  return at > 0 ? at : null;
}

/** Reads the JSON object of a callback. Refuses: validation_failed. */
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

/** Returns a document with the type that its bytes show, whatever type was declared; empty for other types. */
export function documentsOf(kind: CarrierDocument["kind"], bytes: Uint8Array): CarrierDocument[] {
  const content_type = labelTypeOf(bytes);
  return content_type === null ? [] : [{ kind, content_type, bytes }];
}

/**
 * Downloads a document of a purchase; empty when it can never be read. Refuses: carrier_timeout, when it may be
 * readable later.
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
 * Returns the state of an earlier purchase. Refuses: carrier_timeout, whatever the reason: the purchase may have been
 * charged, so it must be looked up again.
 */
export async function lookedUpPurchase(lookup: Promise<CarrierPurchase>): Promise<CarrierPurchase> {
  try {
    return await lookup;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const seconds = error.facts["retry_after_seconds"];
    const retry_after_seconds = typeof seconds === "number" ? seconds : null;
    throw carrierFault("carrier_timeout", error.message, { permanent: false, retry_after_seconds });
  }
}

/** Returns all that a connector needs to call a carrier for an account. */
export function accessTo(
  account: CarrierAccount,
  connector: OutsideCarrier,
  store: Store,
  service: Service,
): CarrierContext {
  const { id, name } = account;
  const { mode } = store;
  return {
    account: { id, name },
    mode,
    credentials: credentialsOf(account, service.secret_key),
    ...carrierCallerTo(service, mode, connector.name),
    now: partyTime(store),
  };
}

// A shorter credential might also match ordinary words.
const shortest_secret = 6;

/** Turns a connector's error into a refusal whose message contains no credential. Logs unexpected errors. */
export function refusalOf(error: unknown, { credentials, account }: CarrierContext, log: Log): Fault {
  const secrets = Object.values(credentials).filter(({ length }) => length >= shortest_secret);
  if (!(error instanceof Fault)) {
    const stack = error instanceof Error ? error.stack : String(error);
    const facts = { account: wireId("carrier_account", account.id), error: without(secrets, stack ?? "") };
    log.error("a carrier's connector failed", facts);
    return new Fault("carrier_error", "The carrier's response could not be processed. See the service log.");
  }
  const message = without(secrets, error.message);
  return message === error.message ? error : new Fault(error.code, message, error.facts);
}

/** Waits at most `wait_ms` milliseconds for a carrier's reply. Refuses: carrier_timeout. */
export async function inTime<Answer>(answer: Promise<Answer>, name: string, wait_ms: number): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = new Fault("carrier_timeout", `${name} did not answer within ${wait_ms / 1000} seconds.`);
  const timer = setTimeout(() => reject(late), wait_ms);
  return await Promise.race([answer, promise]).finally(() => clearTimeout(timer));
}
