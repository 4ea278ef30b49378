import { and, desc, eq, isNotNull, sql as template } from "drizzle-orm";
import { among, amongTexts, begins, columnsOf, list, opaque, phoneDigits, phoneEnd } from "../../../db/kit.ts";
import { customer_words, customers } from "../../../db/schema/customers.ts";
import { wireId } from "../../core/ids.ts";
import type { Db } from "../../storage/database.ts";
import { isParentVisible } from "../../storage/scope.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { bestOf, fitOf, type Hit, type SearchText } from "./search_hit.ts";

// The most matches of a word that are examined.
const candidates_max = 500;
const phone_end_digits = 7;

const shown = columnsOf(
  customers,
  "id",
  "merchant_id",
  "email",
  "first_name",
  "last_name",
  "company",
  "phone",
  "created_at",
);
type CustomerHitRow = Pick<typeof customers.$inferSelect, keyof typeof shown>;

const byId = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql.select(shown).from(customers).where(eq(customers.id, a.id)),
);
const byEmail = prepared((sql, a: StatementArgs<{ keys: string }>) =>
  sql.select(shown).from(customers).where(amongTexts(customers.email_key, a.keys)),
);
const hasPhone = isNotNull(customers.phone);
const byPhone = prepared((sql, a: StatementArgs<{ digits: string; limit: number }>) =>
  sql
    .select(shown)
    .from(customers)
    .where(and(template`${customers.phone} is not null`, begins(phoneDigits(customers.phone), a.digits)))
    .orderBy(phoneDigits(customers.phone))
    .limit(opaque(a.limit)),
);
const byPhoneEnd = prepared((sql, a: StatementArgs<{ end: string; limit: number }>) =>
  sql
    .select(shown)
    .from(customers)
    .where(and(hasPhone, eq(phoneEnd(customers.phone), opaque(a.end))))
    .limit(opaque(a.limit)),
);
const calledSo = prepared((sql, a: StatementArgs<{ word: string; limit: number }>) =>
  sql
    .select({ id: customer_words.customer_id })
    .from(customer_words)
    .where(and(begins(customer_words.word, a.word), isParentVisible(sql, customers, customer_words.customer_id)))
    .limit(opaque(a.limit)),
);
const newestOf = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql
    .select(shown)
    .from(customers)
    .where(among(customers.id, a.ids))
    .orderBy(desc(customers.created_at), desc(customers.id)),
);

/** Customers with this email address, phone number or name, then those with names that begin with each word. */
export async function findCustomerHits(db: Db, typed: SearchText, limit: number): Promise<Hit[]> {
  const rows: CustomerHitRow[] = [
    ...(await byId(db, { id: typed.idOf("customer") })),
    ...(await byEmail(db, { keys: list(typed.words) })),
    ...(await withPhone(db, typed, limit)),
    ...(await withWords(db, typed)),
  ];
  return bestOf(rows.map((row) => hitOf(row, typed))).slice(0, limit);
}

async function withPhone(db: Db, { phone }: SearchText, limit: number): Promise<CustomerHitRow[]> {
  if (phone === null) return [];
  const begun = await byPhone(db, { digits: phone, limit });
  if (phone.length < phone_end_digits) return begun;
  const ended = await byPhoneEnd(db, { end: phone.slice(-phone_end_digits), limit: candidates_max });
  return [...begun, ...ended.filter((row) => endsAlike(digitsOf(row), phone))];
}

const digitsOf = ({ phone }: CustomerHitRow) => (phone ?? "").replace(/[ \-().+/]/g, "");

/** Whether two phone numbers are the same, apart from a leading 0 or country code. */
function endsAlike(one: string, other: string): boolean {
  const [a, b] = [one.replace(/^0+/, ""), other.replace(/^0+/, "")];
  return a.endsWith(b) || b.endsWith(a);
}

async function withWords(db: Db, { words }: SearchText): Promise<CustomerHitRow[]> {
  let common = null as ReadonlySet<number> | null;
  const broad: string[] = [];
  for (const word of words) {
    const found = await calledSo(db, { word, limit: candidates_max + 1 });
    if (found.length > candidates_max) broad.push(word);
    const ids = new Set(found.map(({ id }) => id));
    if (found.length <= candidates_max || (common === null && words.length === 1)) {
      common = common?.intersection(ids) ?? ids;
    }
  }
  if (common === null || common.size === 0) return [];
  const rows = await newestOf(db, { ids: list([...common]) });
  if (broad.length === 0 || words.length === 1) return rows;
  // A word with too many matches only filters the matches of the other words.
  const ids = list(rows.map(({ id }) => id));
  const kept = await Promise.all(
    broad.map((word) =>
      db.sql
        .selectDistinct({ id: customer_words.customer_id })
        .from(customer_words)
        .where(
          and(among(customer_words.customer_id, template`${ids}`), begins(customer_words.word, template`${word}`)),
        ),
    ),
  );
  const sets = kept.map((found) => new Set(found.map(({ id }) => id)));
  return rows.filter(({ id }) => sets.every((set) => set.has(id)));
}

function hitOf(row: CustomerHitRow, typed: SearchText): Hit {
  const { id, email, company, phone, created_at } = row;
  const name = [row.first_name, row.last_name].filter((part) => part !== null && part !== "").join(" ");
  const isExact =
    typed.idOf("customer") === id ||
    fitOf(typed, [email, name, company]) === "exact" ||
    (typed.phone !== null && typed.phone === digitsOf(row));
  const others = [name === "" ? null : email, company, phone].filter((part) => part !== null && part !== "");
  return {
    type: "customer",
    fit: isExact ? "exact" : "prefix",
    id: wireId("customer", id),
    title: name === "" ? email : name,
    subtitle: others.join(" · "),
    state: null,
    at: created_at,
    parent: null,
    merchant_id: row.merchant_id,
  };
}
