// What is taken out of a text that tells of a person: of JSON as the API shows it, and of lines of a log.
import { isErasedEmail } from "../customers/rules.ts";

/** What stands where something was erased. */
export const erased_word = "Erased";
/** An address that nobody can have: `.invalid` is kept free for that by RFC 2606. */
export const erased_email = "erased@erased.invalid";

/**
 * Who is to be found: the ids of the person's records as the wire writes them, and terms, which are texts that tell who
 * it is and ids of addresses that are gone.
 */
export interface Traces {
  readonly ids: ReadonlySet<string>;
  readonly terms: readonly string[];
}

// The fields of the API that hold what people have typed about a person, or where the person is.
const personal_fields: ReadonlySet<string> = new Set([
  ...["first_name", "last_name", "phone", "company", "customer_name", "recipient", "signed_by"],
  ...["address_line1", "address_line2", "street1", "street2", "city", "state", "zip", "postal_code", "facility"],
  ...["order_notes", "notes", "note", "message", "status_detail", "description"],
]);
const email_fields: ReadonlySet<string> = new Set(["email", "customer_email"]);
const emptied_fields: ReadonlySet<string> = new Set(["metadata"]);
const nulled_fields: ReadonlySet<string> = new Set([
  ...["verification", "address_verification", "suggestion", "label_url", "tracking_url", "told_url"],
]);
const listed_fields: ReadonlySet<string> = new Set(["warnings"]);
// The reason of a return or of a hold is a word of a list; that of a scan is what a carrier wrote.
const of_scan: readonly string[] = ["carrier_status", "carrier_code"];
// The `name` of a line is that of a product, and that of who did something is known to the house.
const not_of_person: readonly string[] = ["sku", "product_id", "type"];

/** JSON without what tells who a person is, or the same text where it says nothing of the person. */
export function redactedJson(text: string, traces: Traces): string {
  if (!mentions(text, traces)) return text;
  const parsed = parsedJson(text);
  const texts = traces.terms.filter((term) => !isRecordId(term));
  if (parsed === undefined) return redactedText(text, texts);
  return JSON.stringify(withoutTerms(searched(parsed, traces), texts));
}

const wire_id = /"((?:cus|ord|ret|shp|lbl|adr)_\d+)"/g;
const isRecordId = (term: string) => /^adr_\d+$/.test(term);
const isNamed = (text: string, { ids, terms }: Traces) => ids.has(text) || (isRecordId(text) && terms.includes(text));

/** Whether JSON names a record of the person, or the person. */
export function mentions(text: string, traces: Traces): boolean {
  for (const [, id] of text.matchAll(wire_id)) if (isNamed(id as string, traces)) return true;
  const terms = traces.terms.filter((term) => !isRecordId(term));
  const near = termsNear(text, terms, (term) => JSON.stringify(term).slice(1, -1));
  if (near.length === 0) return false;
  // In the text of JSON a line's end is the letter n, behind which a word would not seem to begin.
  const whole = parsedJson(text);
  return whole === undefined ? holdsTerm(text, near) : saysTerm(whole, near);
}

/**
 * What JSON says about the person: of each part that names a record of the person, or the person, the whole object, and
 * nothing of what stands beside it.
 */
export function partsAbout(text: string, traces: Traces): unknown[] {
  return mentions(text, traces) ? partsOf(parsedJson(text), traces) : [];
}

function partsOf(value: unknown, traces: Traces): unknown[] {
  const isAbout = (one: unknown) => typeof one === "string" && (isNamed(one, traces) || holdsTerm(one, traces.terms));
  if (isAbout(value)) return [value];
  if (typeof value !== "object" || value === null) return [];
  const fields = Object.values(value);
  return isRecord(value) && fields.some(isAbout) ? [value] : fields.flatMap((field) => partsOf(field, traces));
}

/** What a text says as JSON; undefined for other text. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The terms that stand in a text as it writes them, as words of their own or within others. */
function termsNear(text: string, terms: readonly string[], written = (term: string) => term): string[] {
  const folded = text.toLowerCase();
  return terms.filter((term) => folded.includes(written(term).toLowerCase()));
}

/** Whether a text holds one of these terms: none of them is looked for within a longer word or address. */
const holdsTerm = (text: string, terms: readonly string[]): boolean =>
  termsNear(text, terms).some((term) => wholeTerm(term).test(text));

/** Whether any text within a value holds one of these terms. */
function saysTerm(value: unknown, terms: readonly string[]): boolean {
  if (typeof value === "string") return holdsTerm(value, terms);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, field]) => holdsTerm(name, terms) || saysTerm(field, terms));
}

/** Finds a term where it stands by itself: `ann@gmail.com` is not found in `joann@gmail.com`. */
function wholeTerm(term: string): RegExp {
  const itself = term.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const [before, after] = isEmail(term)
    ? ["(?<![\\p{L}\\p{N}\\p{M}_%+-]|[\\p{L}\\p{N}\\p{M}][.'])", "(?![\\p{L}\\p{N}\\p{M}_%+-]|\\.[\\p{L}\\p{N}])"]
    : ["(?<![\\p{L}\\p{N}\\p{M}])", "(?![\\p{L}\\p{N}\\p{M}])"];
  return new RegExp(`${before}${itself}${after}`, "giu");
}

const isEmail = (term: string) => term.includes("@");

type Fields = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Looks for the records of the person, and takes out what each of them tells. */
function searched(value: unknown, traces: Traces): unknown {
  if (Array.isArray(value)) return value.map((one) => searched(one, traces));
  if (!isRecord(value)) return value;
  const own = Object.values(value).some((field) => typeof field === "string" && isNamed(field, traces));
  if (own) return emptied(value);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, searched(field, traces)]));
}

/** A record of the person without what is personal, at any depth. */
function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(emptied);
  if (!isRecord(value)) return value;
  const has = (fields: readonly string[]) => fields.some((field) => field in value);
  const about = { named: !has(not_of_person), scanned: has(of_scan) };
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, emptiedField(name, field, about)]));
}

interface About {
  /** Whether its name is that of a person. */
  readonly named: boolean;
  /** Whether it is a scan. */
  readonly scanned: boolean;
}

function emptiedField(name: string, field: unknown, about: About): unknown {
  if (field === null) return null;
  if (nulled_fields.has(name) || (name === "reason" && about.scanned)) return null;
  if (emptied_fields.has(name)) return {};
  if (listed_fields.has(name)) return [];
  if (Array.isArray(field)) return field.map((one) => emptiedField(name, one, about));
  if (typeof field !== "string") return emptied(field);
  if (email_fields.has(name)) return erased_email;
  return personal_fields.has(name) || (name === "name" && about.named) ? erased_word : field;
}

function withoutTerms(value: unknown, terms: readonly string[]): unknown {
  if (typeof value === "string") return redactedText(value, terms);
  if (Array.isArray(value)) return value.map((one) => withoutTerms(one, terms));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [redactedText(name, terms), withoutTerms(field, terms)]),
  );
}

/** A text with every one of these terms replaced, in any case; an e-mail address by one that nobody has. */
function redactedText(text: string, terms: readonly string[]): string {
  let left = text;
  for (const term of termsNear(text, terms)) left = left.replace(wholeTerm(term), wordFor(term));
  return left;
}

const wordFor = (term: string) => (isEmail(term) ? erased_email : erased_word);

/** The path of a request without these e-mail addresses, as URLs write them, too; then all of it goes. */
export function redactedPath(text: string, terms: readonly string[]): string {
  return holdsEmail(readable(text), terms.filter(isEmail)) ? erased_word : text;
}

/**
 * The parameters of a request without the values that hold one of these e-mail addresses or are another of these terms
 * as a whole: a part of a value may be about anything else.
 */
export function redactedQuery(text: string, terms: readonly string[]): string {
  if (text === "") return text;
  const emails = terms.filter(isEmail);
  const whole = new Set(terms.map((term) => term.toLowerCase()));
  const isPersonal = (value: string) =>
    holdsEmail(value, emails) || whole.has(value.normalize("NFC").trim().toLowerCase());
  const parts = text.split("&").map((part) => {
    const at = part.indexOf("=");
    const value = part.slice(at + 1);
    // A plus is a space in a form, and itself in a telephone's number that was not encoded.
    const found = [readable(value), readable(value.replaceAll("+", " "))].some(isPersonal);
    return found ? `${part.slice(0, at + 1)}${erased_word}` : part;
  });
  return parts.join("&");
}

// A shorter beginning of an address may be that of anything.
const cut_letters_min = 3;

/** Whether a text holds one of these e-mail addresses, or is one that the log has cut and ends with a part of one. */
function holdsEmail(text: string, emails: readonly string[]): boolean {
  if (holdsTerm(text, emails)) return true;
  if (!text.endsWith("…")) return false;
  const [tail = ""] = /[^\s<>"'=&/?:,;()]*$/.exec(text.slice(0, -1).replace(/%[0-9a-f]?$/i, "")) ?? [];
  if (tail.length < cut_letters_min) return false;
  return emails.some((email) => email.toLowerCase().startsWith(tail.toLowerCase()));
}

const encoded = /(?:%[0-9a-f]{2})+/gi;

/** A part of a URL as it was meant. What cannot be read, as where it was cut, stays as it is. */
function readable(text: string): string {
  return text.replace(encoded, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch {
      return bytes;
    }
  });
}

const term_letters_min = 6;
const terms_max = 200;
const telephone = /^\+?[\d\s()./-]+$/;

/**
 * What finds a person in logs: e-mail addresses, ids of addresses, and names, telephones and lines of addresses that
 * are long enough not to be found by chance. Of very many, telephones are kept before names and lines, and the longest
 * of those. The longest come first, since one may be part of another. What stands in the place of what was erased
 * finds nobody.
 */
export function termsOf(texts: readonly (string | null | undefined)[]): string[] {
  const whole = texts.flatMap((text) => {
    const term = text?.normalize("NFC").trim() ?? "";
    if (isRecordId(term)) return [term];
    if (term.length < term_letters_min || isErasedEmail(term)) return [];
    return isEmail(term) || /[\s\d]/.test(term) ? [term] : [];
  });
  const distinct = [...new Map(whole.map((term) => [term.toLowerCase(), term])).values()];
  const longest = distinct.sort((one, other) => other.length - one.length);
  const [own, others] = [ownTerms(longest), longest.filter((term) => !isOwn(term))];
  const [telephones, words] = [others.filter(isTelephone), others.filter((term) => !isTelephone(term))];
  const some = [...telephones, ...words].slice(0, Math.max(0, terms_max - own.length));
  const kept = new Set([...own, ...some]);
  return longest.filter((term) => kept.has(term));
}

const isTelephone = (term: string) => telephone.test(term);

const isOwn = (term: string) => isEmail(term) || isRecordId(term);

/** The terms that belong to nobody else, which may be looked for in what names nobody: e-mail addresses and ids. */
export const ownTerms = (terms: readonly string[]): string[] => terms.filter(isOwn);

/** The ids of addresses among terms, which are the person's wherever they stand. */
export const idsAmong = (terms: readonly string[]): string[] => terms.filter(isRecordId);
