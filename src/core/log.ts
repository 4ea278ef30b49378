import { write as writeSoon, writeSync } from "node:fs";
import { iso, systemClock } from "./clock.ts";

// The log. Secrets are removed from every line, whatever their source: an error message, an echoed header.

/** Patterns of secrets and their replacements. */
const shapes: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\bph_(live|test)_[0-9A-Za-z]{8,}/g, "ph_$1_…"],
  [/\bwhsec_[A-Za-z0-9+/=_-]+/g, "whsec_…"],
  [/\b(Bearer|Basic)\s+[^\s"'\\,]+/gi, "$1 …"],
  // The password of an address: postgres://user:password@host, smtps://…
  [/(:\/\/[^\s:/?#@"']*):[^\s"'\\]*@/g, "$1:…@"],
  [/([?&](?:signature|token|secret|password|key|hash)=)[^&\s"'\\]+/gi, "$1…"],
];
const suspicious = /ph_(?:live|test)_|whsec_|bearer|basic|:\/\/\S*@|[?&](?:signature|token|secret|password|key|hash)=/i;

const known = new Set<string>();
const known_characters_min = 6;

/** Registers a secret of this process (a password, the secret key). No log line shows it from then on. */
export function registerSecret(secret: string): void {
  // Shorter secrets could match ordinary words.
  if (secret.length < known_characters_min) return;
  for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")]) known.add(form);
}

/** Removes API keys, signing secrets, passwords in URLs and registered secrets from a text. */
export function redactSecrets(text: string): string {
  let shown = text;
  if (suspicious.test(text)) for (const [pattern, replacement] of shapes) shown = shown.replace(pattern, replacement);
  for (const secret of known) if (shown.includes(secret)) shown = shown.replaceAll(secret, "…");
  return shown;
}

const systemTime = systemClock();

/** The log levels, least severe first. */
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The line formats: JSON objects, or text for people. */
export const logFormats = ["json", "text"] as const;
export type LogFormat = (typeof logFormats)[number];

/** The fields of a log line. Never bodies, keys or secrets. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Log {
  /** Whether lines of this level are written, so that callers can avoid building others. */
  shows(level: LogLevel): boolean;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

interface LogSettings {
  /** Lines below this level are not written. */
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Writes a line, without its line ending. An `urgent` line must not wait. */
  readonly write: (line: string, urgent: boolean) => void;
}

/** Opens a log. Line breaks are escaped, so that a value cannot forge a line. Secrets are removed from every line. */
export function openLog({ level: least, format, write }: LogSettings): Log {
  const written = format === "json" ? jsonLine : textLine;
  const shows = (level: LogLevel) => logLevels.indexOf(level) >= logLevels.indexOf(least);
  const line = (level: LogLevel) => {
    if (!shows(level)) return () => {};
    const urgent = level === "warn" || level === "error";
    return (message: string, fields: LogFields = {}) =>
      write(redactSecrets(written({ time: iso(systemTime.now()), level, message, ...fields })), urgent);
  };
  return { shows, info: line("info"), warn: line("warn"), error: line("error") };
}

/** A log that discards everything, for tests and one-off commands. */
export const silentLog: Log = { shows: () => false, info: () => {}, warn: () => {}, error: () => {} };

function jsonLine(fields: LogFields): string {
  return JSON.stringify(fields);
}

/** `time level message name=value …`. Values with characters outside `\w.:/+-` are quoted. */
function textLine({ time, level, message, ...fields }: LogFields): string {
  const quoted = (value: unknown) =>
    /^[\w.:/+-]+$/.test(String(value)) ? String(value) : JSON.stringify(String(value));
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${name}=${quoted(value)}`],
  );
  return [time, String(level).toUpperCase(), String(message).replaceAll("\n", " "), ...pairs].join(" ");
}

const standard_error = 2;
const gather_ms = 20;
const backlog_characters_max = 4 << 20;
const last_tries = 20;

/**
 * Writes lines to standard error. Lines are batched, and a slow reader blocks nothing. Beyond a backlog of 4 MB lines
 * are dropped; a later line reports how many.
 */
export class LineWriter {
  readonly #descriptor: number;
  #waiting: string[] = [];
  #characters = 0;
  #lost = 0;
  #timer: Timer | null = null;
  #writing: Promise<void> | null = null;

  constructor(descriptor: number = standard_error) {
    this.#descriptor = descriptor;
  }

  /** Adds a line. An urgent one is written at once. */
  write(line: string, urgent: boolean): void {
    if (this.#characters > backlog_characters_max) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(line);
    this.#characters += line.length;
    if (this.#writing !== null) return;
    if (urgent) this.#begin();
    else this.#timer ??= setTimeout(() => this.#begin(), gather_ms);
  }

  /** Writes as much of the backlog as the reader accepts now, for use when the process exits. */
  finish(): void {
    let rest = Buffer.from(this.#take());
    for (let tries = 0; rest.length > 0 && tries < last_tries; tries += 1) {
      try {
        rest = rest.subarray(writeSync(this.#descriptor, rest));
      } catch (error) {
        if ((error as { code?: string }).code !== "EAGAIN") return;
        Bun.sleepSync(5);
      }
    }
  }

  /** Waits until all lines are written, or for one second. */
  async settled(): Promise<void> {
    if (this.#waiting.length > 0 && this.#writing === null) this.#begin();
    await Promise.race([this.#writing, Bun.sleep(1000)]);
  }

  #begin(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing = this.#writeAll().finally(() => {
      this.#writing = null;
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      let rest = Buffer.from(this.#take());
      while (rest.length > 0) {
        const written = await this.#writeSome(rest);
        if (written < 0) return;
        if (written === 0) await Bun.sleep(gather_ms);
        rest = rest.subarray(written);
      }
    }
  }

  /** The number of bytes written: 0 when the reader is behind, -1 when it is gone. */
  #writeSome(bytes: Buffer): Promise<number> {
    return new Promise((resolve) => {
      writeSoon(this.#descriptor, bytes, (error, written) => {
        if (!error) resolve(written);
        else resolve(error.code === "EAGAIN" ? 0 : -1);
      });
    });
  }

  #take(): string {
    const lines = this.#waiting;
    this.#waiting = [];
    this.#characters = 0;
    if (this.#lost > 0) lines.push(JSON.stringify({ level: "warn", message: "lines were lost", lost: this.#lost }));
    this.#lost = 0;
    return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
  }
}
