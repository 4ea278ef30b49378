// What is taken out of a text that tells of a person: of JSON as the API shows it, and of lines of a log.

/** What stands where something was erased. */
export const erased_word = "Erased";
/** An address that nobody can have: `.invalid` is kept free for that by RFC 2606. */
export const erased_email = "erased@erased.invalid";

/** Who is to be found: the ids of the person's records as the wire writes them, and texts that tell who it is. */
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
const nulled_fields: ReadonlySet<string> = new Set(["verification", "address_verification", "suggestion"]);
// The `name` of a line is that of a product, and that of who did something is known to the house.
const not_of_person: readonly string[] = ["sku", "product_id", "type"];

/** JSON without what tells who a person is, or the same text where it says nothing of the person. */
export function redactedJson(text: string, traces: Traces): string {
  if (!mentions(text, traces)) return text;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return redactedText(text, traces.terms);
  }
  return JSON.stringify(withoutTerms(searched(parsed, traces), traces.terms));
}

const wire_id = /"((?:cus|ord|ret|shp|lbl)_\d+)"/g;

/** Whether a text names a record of the person, or the person. */
export function mentions(text: string, { ids, terms }: Traces): boolean {
  for (const [, id] of text.matchAll(wire_id)) if (ids.has(id as string)) return true;
  return holdsTerm(text, terms);
}

function holdsTerm(text: string, terms: readonly string[]): boolean {
  const folded = text.toLowerCase();
  return terms.some((term) => folded.includes(term.toLowerCase()));
}

type Fields = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Looks for the records of the person, and takes out what each of them tells. */
function searched(value: unknown, traces: Traces): unknown {
  if (Array.isArray(value)) return value.map((one) => searched(one, traces));
  if (!isRecord(value)) return value;
  const own = Object.values(value).some((field) => typeof field === "string" && traces.ids.has(field));
  if (own) return emptied(value);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, searched(field, traces)]));
}

/** A record of the person without what is personal, at any depth. */
function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(emptied);
  if (!isRecord(value)) return value;
  const named = !not_of_person.some((field) => field in value);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, emptiedField(name, field, named)]));
}

function emptiedField(name: string, field: unknown, named: boolean): unknown {
  if (field === null) return null;
  if (nulled_fields.has(name)) return null;
  if (emptied_fields.has(name)) return {};
  if (typeof field !== "string") return emptied(field);
  if (email_fields.has(name)) return erased_email;
  return personal_fields.has(name) || (name === "name" && named) ? erased_word : field;
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
  for (const term of terms) {
    const folded = term.toLowerCase();
    // A letter may become several when it is folded: then places in one text are not places in the other.
    if (left.toLowerCase().length !== left.length) left = left.replaceAll(term, wordFor(term));
    for (let at = left.toLowerCase().indexOf(folded); at >= 0; ) {
      if (left.toLowerCase().length !== left.length) break;
      left = left.slice(0, at) + wordFor(term) + left.slice(at + term.length);
      at = left.toLowerCase().indexOf(folded, at + wordFor(term).length);
    }
  }
  return left;
}

const wordFor = (term: string) => (term.includes("@") ? erased_email : erased_word);

/** The path of a request without these e-mail addresses, as URLs write them, too; then all of it goes. */
export function redactedPath(text: string, terms: readonly string[]): string {
  return holdsTerm(readable(text), ownTerms(terms)) ? erased_word : text;
}

/**
 * The parameters of a request without the values that hold one of these e-mail addresses or are another of these terms
 * as a whole: a part of a value may be about anything else.
 */
export function redactedQuery(text: string, terms: readonly string[]): string {
  if (text === "") return text;
  const own = ownTerms(terms);
  const whole = new Set(terms.map((term) => term.toLowerCase()));
  const isPersonal = (value: string) => holdsTerm(value, own) || whole.has(value.normalize("NFC").trim().toLowerCase());
  const parts = text.split("&").map((part) => {
    const at = part.indexOf("=");
    const value = part.slice(at + 1);
    // A plus is a space in a form, and itself in a telephone's number that was not encoded.
    const found = [readable(value), readable(value.replaceAll("+", " "))].some(isPersonal);
    return found ? `${part.slice(0, at + 1)}${erased_word}` : part;
  });
  return parts.join("&");
}

function readable(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const term_letters_min = 6;
const terms_max = 200;

/**
 * The texts that find a person in logs: e-mail addresses, and names, telephones and lines of addresses that are long
 * enough not to be found by chance. The longest come first, since one may be part of another.
 */
export function termsOf(texts: readonly (string | null | undefined)[]): string[] {
  const whole = texts.flatMap((text) => {
    const term = text?.normalize("NFC").trim() ?? "";
    return term.length >= term_letters_min && (term.includes("@") || /[\s\d]/.test(term)) ? [term] : [];
  });
  const distinct = [...new Map(whole.map((term) => [term.toLowerCase(), term])).values()];
  return distinct.sort((one, other) => other.length - one.length).slice(0, terms_max);
}

/** The terms that belong to nobody else: only e-mail addresses, which may be looked for in what names nobody. */
export const ownTerms = (terms: readonly string[]): string[] => terms.filter((term) => term.includes("@"));
