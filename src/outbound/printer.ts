// Sends documents to the operator's printers: ZPL over a raw TCP connection, or a PDF over the Internet Printing
// Protocol. Printers may have private addresses, which nothing else may call. What is sent is a document that we have
// drawn.
import { lookup } from "node:dns/promises";
import { connect, isIP } from "node:net";
import { second_ms } from "../core/time.ts";
import { isForbiddenPrinter } from "./destination.ts";
import { type IppReply, ippAttributes, ippPrintJob, readIppReply } from "./ipp_messages.ts";

/** Where a printer is reached. */
interface PrinterPlace {
  /** A host name or an IP address. */
  readonly host: string;
  readonly port: number;
}

/** A printer of the Internet Printing Protocol. */
interface IppPrinter extends PrinterPlace {
  readonly path: string;
  /** The name of its paper, such as `iso_a4_210x297mm`. */
  readonly media: string;
}

/** Why a document was not printed. */
export interface PrintFailure {
  readonly code: "printer_unreachable" | "printer_refused" | "outcome_unknown" | "blocked_address";
  readonly message: string;
  /** Whether nothing was printed and it may be tried again. */
  readonly again: boolean;
}

/** Null if the printer took the document. */
type PrintOutcome = PrintFailure | null;

const connect_ms = 5 * second_ms;
const send_ms = 30 * second_ms;
// Some printers keep the connection open after the document.
const close_ms = 3 * second_ms;
const reply_bytes_max = 1024 * 1024;

const unreachable = (message: string): PrintFailure => ({ code: "printer_unreachable", message, again: true });
const refused = (message: string, again = false): PrintFailure => ({ code: "printer_refused", message, again });
const unknown = (message: string): PrintFailure => {
  return { code: "outcome_unknown", message: `${message} It may have been printed.`, again: false };
};

/** What is wrong with the address of a printer, or null. Names are checked at each call. `own_port` is ours. */
export function printerProblem({ host, port }: PrinterPlace, own_port: number | null): string | null {
  const address = host === "localhost" ? "127.0.0.1" : host;
  if (isIP(address) === 0 || !isForbiddenPrinter(address, port, own_port)) return null;
  return "must be the address of a printer";
}

/** Finds the address of a printer. */
async function addressOf({ host, port }: PrinterPlace, own_port: number | null): Promise<string | PrintFailure> {
  let found: readonly { readonly address: string }[];
  try {
    found = await inTime(lookup(host, { all: true }), connect_ms);
  } catch {
    return unreachable(`The name ${host} is unknown.`);
  }
  const [first] = found;
  if (first === undefined) return unreachable(`The name ${host} has no address.`);
  if (!found.some(({ address }) => isForbiddenPrinter(address, port, own_port))) return first.address;
  return { code: "blocked_address", message: `${host} is not the address of a printer.`, again: false };
}

function inTime<Done>(work: Promise<Done>, timeout_ms: number): Promise<Done> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("timeout")), timeout_ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/** Sends bytes to the port of a label printer, once. */
export async function sendToPort(
  place: PrinterPlace,
  bytes: Uint8Array,
  own_port: number | null,
): Promise<PrintOutcome> {
  const address = await addressOf(place, own_port);
  return typeof address === "string" ? transmit(address, place.port, bytes) : address;
}

function transmit(address: string, port: number, bytes: Uint8Array): Promise<PrintOutcome> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, noDelay: true });
    let stage: "connecting" | "sending" | "closing" = "connecting";
    let timer: ReturnType<typeof setTimeout>;
    const end = (outcome: PrintOutcome) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const within = (timeout_ms: number, outcome: () => PrintOutcome) => {
      clearTimeout(timer);
      timer = setTimeout(() => end(outcome()), timeout_ms);
    };
    const lost = (reason: string) => {
      if (stage === "connecting") return end(unreachable(`The printer does not accept connections (${reason}).`));
      return end(unknown(`The connection to the printer was lost (${reason}).`));
    };
    within(connect_ms, () =>
      unreachable(`The printer did not accept a connection within ${connect_ms / 1000} seconds.`),
    );
    socket.once("connect", () => {
      stage = "sending";
      within(send_ms, () => unknown(`The printer did not take the document within ${send_ms / 1000} seconds.`));
      socket.end(bytes);
    });
    socket.once("finish", () => {
      stage = "closing";
      within(close_ms, () => null);
    });
    socket.once("error", (error: Error & { code?: string }) => lost(error.code ?? error.message));
    socket.once("close", () => (stage === "closing" ? end(null) : lost("closed")));
    // Status messages of the printer.
    socket.resume();
  });
}

type IppExchange = { readonly reply: IppReply } | { readonly failure: PrintFailure; readonly is_other_scheme: boolean };

/** Sends a PDF to an IPP printer, once. Without TLS first; with TLS if the printer requires it. */
export async function sendToIpp(
  printer: IppPrinter,
  pdf: Uint8Array,
  name: string,
  own_port: number | null,
): Promise<PrintOutcome> {
  const address = await addressOf(printer, own_port);
  if (typeof address !== "string") return address;
  const schemes = printer.port === 443 ? (["https", "http"] as const) : (["http", "https"] as const);
  let failure: PrintFailure | null = null;
  for (const scheme of schemes) {
    const call = (message: (uri: string) => Uint8Array, timeout_ms: number) =>
      exchange(`${scheme}://${isIP(address) === 6 ? `[${address}]` : address}:${printer.port}${printer.path}`, {
        host: `${isIP(printer.host) === 6 ? `[${printer.host}]` : printer.host}:${printer.port}`,
        message: message(`${scheme === "https" ? "ipps" : "ipp"}://${printer.host}:${printer.port}${printer.path}`),
        timeout_ms,
      });
    const asked = await call(ippAttributes, connect_ms);
    if ("failure" in asked) {
      // Nothing has been printed yet.
      failure ??= { ...asked.failure, again: true };
      if (asked.is_other_scheme) continue;
      return failure;
    }
    const problem = printerState(asked.reply);
    if (problem !== null) return problem;
    const sent = await call((uri) => ippPrintJob(uri, { name, media: printer.media, pdf }), send_ms);
    if ("failure" in sent) return sent.failure.again ? sent.failure : unknown(sent.failure.message);
    return isOk(sent.reply) ? null : refusedBy(sent.reply);
  }
  return failure;
}

const isOk = ({ status }: IppReply) => status < 0x0100;

// The printer is busy, does not accept jobs, or is temporarily in error.
const temporary: readonly number[] = [0x0502, 0x0505, 0x0506, 0x0507];

function refusedBy({ status, attributes }: IppReply): PrintFailure {
  const [message = ""] = attributes.get("status-message") ?? [];
  const code = `0x${status.toString(16).padStart(4, "0")}`;
  return refused(`The printer refused the document (${[code, message].join(" ").trim()}).`, temporary.includes(status));
}

/** Why a printer takes no PDF now, by its attributes; null if it does. */
function printerState(reply: IppReply): PrintFailure | null {
  if (!isOk(reply)) return refusedBy(reply);
  const formats = reply.attributes.get("document-format-supported") ?? [];
  if (formats.length > 0 && !formats.includes("application/pdf")) {
    return refused(`The printer does not accept PDF, only ${formats.join(", ")}.`);
  }
  const [accepts] = reply.attributes.get("printer-is-accepting-jobs") ?? [];
  return accepts === false ? refused("The printer does not accept jobs.", true) : null;
}

interface IppCall {
  readonly host: string;
  readonly message: Uint8Array;
  readonly timeout_ms: number;
}

/** Sends a message. A failure says `again` if the connection was not opened. */
async function exchange(url: string, { host, message, timeout_ms }: IppCall): Promise<IppExchange> {
  const failed = (failure: PrintFailure, is_other_scheme = false): IppExchange => ({ failure, is_other_scheme });
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/ipp", host },
      body: message as Uint8Array<ArrayBuffer>,
      redirect: "manual",
      // Printers have certificates that they signed themselves.
      tls: { rejectUnauthorized: false },
      signal: AbortSignal.timeout(timeout_ms),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      const words = `The printer answered with the HTTP status ${response.status}.`;
      return failed(refused(words), [301, 302, 307, 308, 400, 426].includes(response.status));
    }
    const reply = readIppReply(await bytesOf(response));
    return reply === null ? failed(refused("The printer's answer is not IPP."), true) : { reply };
  } catch (error) {
    const { name, code = name } = error as Error & { readonly code?: string };
    if (code === "ConnectionRefused" || code === "FailedToOpenSocket") {
      return failed(unreachable("The printer does not accept connections."));
    }
    if (name === "TimeoutError") {
      return failed({
        ...unreachable(`The printer did not answer within ${timeout_ms / 1000} seconds.`),
        again: false,
      });
    }
    return failed({ ...unreachable(`The connection to the printer was lost (${code}).`), again: false }, true);
  }
}

async function bytesOf(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > reply_bytes_max) throw new Error("the answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
