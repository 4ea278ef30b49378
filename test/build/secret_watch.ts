// Finds leaked secrets: collects those that a test creates or sends, and searches all output for them.
import { type Log, openLog } from "../../src/core/log.ts";
import { corpus } from "../http/hostile_values.ts";

/** A request and its response, as text. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly sent: string;
  readonly status: number;
  readonly answer: string;
  readonly headers: Headers;
}

/** An output, and where it appeared. */
interface Telling {
  readonly where: string;
  readonly text: string;
}

/** The byte sequences that reveal a secret, by secret. */
type Secrets = Map<string, { readonly kind: string; readonly needles: readonly Buffer[] }>;

const block_characters_max = 1 << 20;

/** Collects the secrets of a service and finds them where they do not belong. */
export class Watch {
  readonly #secrets: Secrets = new Map();
  /** Signatures of links, which may appear in responses and nowhere else. */
  readonly #links: Secrets = new Map();
  readonly #found = new Set<string>();
  #answers: Telling[] = [];
  #lines: Telling[] = [];
  #characters = 0;

  /** Registers a secret unless it is empty. From now on, no output may contain it. */
  keep(kind: string, secret: string | Uint8Array): void {
    if (secret.length === 0) return;
    const name = Buffer.from(secret).toString("latin1");
    if (!this.#secrets.has(name)) this.#secrets.set(name, { kind, needles: needlesOf(secret) });
  }

  /** Searches an output: an e-mail, a log, the bytes of a file. */
  see(where: string, told: string | Uint8Array): void {
    const bytes = Buffer.from(told);
    for (const secrets of [this.#secrets, this.#links]) {
      for (const kind of kindsIn(bytes, secrets)) this.#found.add(`${kind} in ${where}`);
    }
  }

  /** Registers the secrets in a request and its response, and searches the response except for those it shows once. */
  exchange({ method, path, sent, status, answer, headers }: Exchange): void {
    const route = `${method} ${path.replace(/^(?:\/api)?\/v1(?=\/)|\?.*$/g, "")}`;
    let text = answer;
    if (status < 300) {
      for (const [kind, secret] of [...given(route, sent), ...passwordsIn(route, sent)]) this.keep(kind, secret);
      for (const [kind, secret] of shown(route, answer)) {
        this.keep(kind, secret);
        text = text.replaceAll(secret, "");
      }
      for (const [, signature = ""] of answer.includes("signature=") ? answer.matchAll(signatures) : []) {
        this.#links.set(signature, { kind: "the signature of a link", needles: [Buffer.from(signature)] });
      }
    }
    headers.forEach((value, name) => {
      text += `\n${name}: ${value}`;
    });
    this.#answers.push({ where: `${route} ${status}`, text });
    this.#gather(text.length);
  }

  /** A log at every level, whose lines are searched. */
  log(): Log {
    const write = (text: string) => {
      this.#lines.push({ where: "the log", text });
      this.#gather(text.length);
    };
    return openLog({ level: "debug", format: "json", write });
  }

  /** Searches the remaining output. Throws if a secret was found. */
  end(): void {
    this.#lookThrough();
    const found = [...this.#found].join("; ");
    this.#found.clear();
    if (found !== "") throw new Error(`secrets were told: ${found}`);
  }

  #gather(characters: number): void {
    this.#characters += characters;
    // A secret is always created before it appears in output, so searched output need not be stored.
    if (this.#characters > block_characters_max) this.#lookThrough();
  }

  #lookThrough(): void {
    this.#find(this.#answers, this.#secrets);
    this.#find(this.#lines, this.#secrets);
    this.#find(this.#lines, this.#links);
    this.#answers = [];
    this.#lines = [];
    this.#characters = 0;
  }

  #find(tellings: readonly Telling[], secrets: Secrets): void {
    // There is almost never a match, so one search through everything is usually enough.
    if (kindsIn(Buffer.from(tellings.map(({ text }) => text).join("\n")), secrets).length === 0) return;
    for (const { where, text } of tellings) {
      for (const kind of kindsIn(Buffer.from(text), secrets)) this.#found.add(`${kind} in ${where}`);
    }
  }
}

function kindsIn(bytes: Buffer, secrets: Secrets): string[] {
  const found = [...secrets.values()].filter(({ needles }) => needles.some((needle) => bytes.includes(needle)));
  return found.map(({ kind }) => kind);
}

/** A secret as plain text and in the encodings in which it could leak. Each of them reveals it. */
function needlesOf(secret: string | Uint8Array): Buffer[] {
  if (typeof secret !== "string") return formsOf(Buffer.from(secret));
  // The prefix reveals nothing, only what follows it.
  const [, kind, own = secret] = /^(ph_live_|ph_test_|whsec_)(.+)$/s.exec(secret) ?? [];
  const written = [JSON.stringify(own).slice(1, -1), encodeURIComponent(own)].map((text) => Buffer.from(text));
  const decoded = kind === "whsec_" ? formsOf(Buffer.from(own, "base64")) : [];
  return distinct([...formsOf(Buffer.from(own)), ...written, ...decoded]);
}

const formsOf = (bytes: Buffer) => distinct([bytes, Buffer.from(bytes.toString("hex")), ...inBase64(bytes)]);

const distinct = (forms: readonly Buffer[]) => [
  ...new Map(forms.map((form) => [form.toString("latin1"), form] as const)).values(),
];

/** Base64 of the bytes at any offset in a longer text, such as after the user name in `Authorization: Basic`. */
function inBase64(bytes: Buffer): Buffer[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    // The first and the last character also depend on the neighboring bytes.
    const own = whole.slice(before === 0 ? 0 : before + 1, (before + bytes.length) % 3 === 0 ? undefined : -1);
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")].map((form) => Buffer.from(form));
  });
}

const signatures = /[?&]signature=([\w-]{16,})/g;

type Named = readonly (readonly [kind: string, secret: string])[];

const giving =
  /^(?:POST|PATCH) \/(?:(?:platforms|shipping\/carrier_accounts)(?:\/\w+)?|webhooks(?:\/\w+(?:\/rotate_secret)?)?)$/;
const fields_given: Readonly<Record<string, string>> = {
  api_key: "a platform's key",
  api_token: "a platform's token",
  client_secret: "a platform's secret",
  secret: "a webhook's secret",
  callback_secret: "a carrier account's secret",
};

// Values that are sent into every field are not secrets.
const anything = new Set(corpus.map(({ value }) => value));

/** The secrets in a request. */
function given(route: string, sent: string): Named {
  if (!giving.test(route) || sent === "") return [];
  const { credentials, ...fields } = Object(JSON.parse(sent)) as Record<string, unknown>;
  const named = Object.entries({ ...fields, ...Object(credentials) }).map(
    ([field, value]) => [fields_given[field], value] as const,
  );
  return named.flatMap(([kind, value]) =>
    kind !== undefined && typeof value === "string" && new Set(value).size >= 8 && !anything.has(value)
      ? [[kind, value] as const]
      : [],
  );
}

const people = new RegExp(
  "^POST /(?:invitations(?:/\\w+/resend)?|users/me/second_factor(?:/(?:confirm|recovery_codes))?" +
    "|floor_devices(?:/\\w+/link)?|users/\\w+/badge)$",
);

/** Secrets that a response shows once to users: of links and authenticator apps, and recovery codes. */
function shownToPeople(route: string, answer: string): Named {
  if (!people.test(route)) return [];
  const { link = "", secret = "", code = "", recovery_codes = [] } = JSON.parse(answer).data;
  return [
    ["the secret of a link", String(link).split("#")[1] ?? ""] as const,
    ["the code of a badge", code] as const,
    ["the secret of a second factor", secret] as const,
    ...recovery_codes.map((code: string) => ["a recovery code", code] as const),
  ].filter(([, kept]) => kept !== "");
}

const passwords = /^POST \/(?:dashboard\/api\/|users\/me\/)/;

/** The passwords in a request. */
function passwordsIn(route: string, sent: string): Named {
  if (!passwords.test(route) || sent === "") return [];
  const { password, current_password } = Object(JSON.parse(sent)) as Record<string, unknown>;
  return [password, current_password].flatMap((one) => (typeof one === "string" ? [["a password", one] as const] : []));
}

const showing = /^POST \/(?:keys(?:\/[^/]+\/rotate)?|shipping\/carrier_accounts|webhooks(?:\/[^/]+\/rotate_secret)?)$/;
const showings = /"(?:key|secret|callback_secret)":"((ph_live_|ph_test_|whsec_|)[^"]+)"/g;
const kinds_shown: Readonly<Record<string, string>> = {
  ph_live_: "an API key",
  ph_test_: "a key of the sandbox",
  whsec_: "a webhook's secret",
  "": "a carrier account's secret",
};

/** The secrets in a response that creates them. */
function shown(route: string, answer: string): Named {
  if (!showing.test(route)) return shownToPeople(route, answer);
  return [...answer.matchAll(showings)].map(([, secret = "", form = ""]) => [kinds_shown[form] ?? form, secret]);
}
