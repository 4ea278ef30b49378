// A watch over secrets: it notes those that a test sees made or given, and looks for them in everything that is told.
import { type Log, openLog } from "../../src/core/log.ts";
import { corpus } from "../http/hostile_values.ts";

/** A request and its answer, as text. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly sent: string;
  readonly status: number;
  readonly answer: string;
  readonly headers: Headers;
}

/** What somebody was told, and where. */
interface Telling {
  readonly where: string;
  readonly text: string;
}

/** The bytes that give a secret away, by the secret. */
type Secrets = Map<string, { readonly kind: string; readonly needles: readonly Buffer[] }>;

const block_characters_max = 1 << 20;

/** Notes the secrets of a service and finds them where they do not belong. */
export class Watch {
  readonly #secrets: Secrets = new Map();
  /** Signatures of links, which answers may show and nothing else. */
  readonly #links: Secrets = new Map();
  readonly #found = new Set<string>();
  #answers: Telling[] = [];
  #lines: Telling[] = [];
  #characters = 0;

  /** Notes a secret, if it is one: nobody may tell it from now on. */
  keep(kind: string, secret: string | Uint8Array): void {
    if (secret.length === 0) return;
    const name = Buffer.from(secret).toString("latin1");
    if (!this.#secrets.has(name)) this.#secrets.set(name, { kind, needles: needlesOf(secret) });
  }

  /** Looks through what was told or kept: an e-mail, a log, the bytes of a file. */
  see(where: string, told: string | Uint8Array): void {
    const bytes = Buffer.from(told);
    for (const secrets of [this.#secrets, this.#links]) {
      for (const kind of kindsIn(bytes, secrets)) this.#found.add(`${kind} in ${where}`);
    }
  }

  /** Notes the secrets that a request gave or got, and looks through the answer but for what it shows this once. */
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

  /** A log of everything, whose lines are looked through. */
  log(): Log {
    const write = (text: string) => {
      this.#lines.push({ where: "the log", text });
      this.#gather(text.length);
    };
    return openLog({ level: "debug", format: "json", write });
  }

  /** Looks through what is left. Throws when a secret was found. */
  end(): void {
    this.#lookThrough();
    const found = [...this.#found].join("; ");
    this.#found.clear();
    if (found !== "") throw new Error(`secrets were told: ${found}`);
  }

  #gather(characters: number): void {
    this.#characters += characters;
    // What is told is told after the secret was made, so that it need not be kept.
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
    // Almost always there is nothing, and one look at all is enough.
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

/** A secret as itself, and in the encodings in which it might slip through: each gives it away. */
function needlesOf(secret: string | Uint8Array): Buffer[] {
  if (typeof secret !== "string") return formsOf(Buffer.from(secret));
  // What it begins with tells of no secret, only what comes after that.
  const [, kind, own = secret] = /^(ph_live_|ph_test_|whsec_)(.+)$/s.exec(secret) ?? [];
  const written = [JSON.stringify(own).slice(1, -1), encodeURIComponent(own)].map((text) => Buffer.from(text));
  const decoded = kind === "whsec_" ? formsOf(Buffer.from(own, "base64")) : [];
  return distinct([...formsOf(Buffer.from(own)), ...written, ...decoded]);
}

const formsOf = (bytes: Buffer) => distinct([bytes, Buffer.from(bytes.toString("hex")), ...inBase64(bytes)]);

const distinct = (forms: readonly Buffer[]) => [
  ...new Map(forms.map((form) => [form.toString("latin1"), form] as const)).values(),
];

/** Base64 of the bytes wherever they begin in a longer text, as after the user's name of `Authorization: Basic`. */
function inBase64(bytes: Buffer): Buffer[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    // The first and the last character depend on the neighbours as well.
    const own = whole.slice(before === 0 ? 0 : before + 1, (before + bytes.length) % 3 === 0 ? undefined : -1);
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")].map((form) => Buffer.from(form));
  });
}

const signatures = /[?&]signature=([\w-]{16,})/g;

type Named = readonly (readonly [kind: string, secret: string])[];

const giving =
  /^(?:POST|PATCH) \/(?:(?:platforms|shipping\/carrier-accounts)(?:\/\w+)?|webhooks(?:\/\w+(?:\/rotate-secret)?)?)$/;
const fields_given: Readonly<Record<string, string>> = {
  api_key: "a platform's key",
  api_token: "a platform's token",
  client_secret: "a platform's secret",
  secret: "a webhook's secret",
  callback_secret: "a carrier account's secret",
};

// What is sent into every field is the secret of none.
const anything = new Set(corpus.map(({ value }) => value));

/** The secrets that a client gave, if they are worth the name. */
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

const people = /^POST \/(?:invitations(?:\/\w+\/resend)?|users\/me\/second_factor(?:\/(?:confirm|recovery_codes))?)$/;

/** What an answer shows this once to those who come in: secrets of links and apps, and recovery codes. */
function shownToPeople(route: string, answer: string): Named {
  if (!people.test(route)) return [];
  const { link = "", secret = "", recovery_codes = [] } = JSON.parse(answer).data;
  return [
    ["the secret of an invitation", String(link).split("#")[1] ?? ""] as const,
    ["the secret of a second factor", secret] as const,
    ...recovery_codes.map((code: string) => ["a recovery code", code] as const),
  ].filter(([, kept]) => kept !== "");
}

const passwords = /^POST \/(?:dashboard\/api\/|users\/me\/)/;

/** The passwords that somebody gave. */
function passwordsIn(route: string, sent: string): Named {
  if (!passwords.test(route) || sent === "") return [];
  const { password, current_password } = Object(JSON.parse(sent)) as Record<string, unknown>;
  return [password, current_password].flatMap((one) => (typeof one === "string" ? [["a password", one] as const] : []));
}

const showing = /^POST \/(?:keys(?:\/[^/]+\/rotate)?|shipping\/carrier-accounts|webhooks(?:\/[^/]+\/rotate-secret)?)$/;
const showings = /"(?:key|secret|callback_secret)":"((ph_live_|ph_test_|whsec_|)[^"]+)"/g;
const kinds_shown: Readonly<Record<string, string>> = {
  ph_live_: "an API key",
  ph_test_: "a key of the sandbox",
  whsec_: "a webhook's secret",
  "": "a carrier account's secret",
};

/** The secrets that an answer shows because it is about their making. */
function shown(route: string, answer: string): Named {
  if (!showing.test(route)) return shownToPeople(route, answer);
  return [...answer.matchAll(showings)].map(([, secret = "", form = ""]) => [kinds_shown[form] ?? form, secret]);
}
