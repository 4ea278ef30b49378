// The names of a merchant's records, collected from responses.

/** Ids with their prefix: sequential ones, and random ones. */
const forms = /^(?:([a-z]{3})_\d{4,}|(evt)_[0-9a-f]{32}|(quo)_[0-9a-f]{32}_\d)$/;

/** Fields whose texts name or describe a record. */
const naming = new Set([
  ...["sku", "name", "email", "order_number", "tracking_number", "lot_number", "barcode", "gtin", "value"],
  ...["first_name", "last_name", "company", "address_line1", "address_line2", "phone", "customer_email"],
  ...[
    "reference",
    "supplier",
    "notes",
    "producer",
    "note",
    "order_notes",
    "packing_note",
    "description",
    "store_id",
    "url",
    "external_id",
  ],
  ...["order_prefix", "label_url", "tracking_url", "callback_url", "product_name", "order_id", "event_id"],
]);

/** The operator's records, and its users and keys that act for merchants. */
const ofHouse = new Set(["whs", "cac", "man", "rtc", "zch", "cnt", "mer"]);
const acting = new Set(["actor", "actor_id", "by", "created_by", "author"]);

/** What an import tells about columns: their names are plain words, such as `email`. */
const ofColumns = new Set(["fields", "suggested"]);

/** The names of records, by id prefix and by field. */
export class Names {
  readonly #known = new Map<string, Set<string>>();

  /** Collects every id, and the texts of naming fields. */
  learn(value: unknown, field = ""): void {
    if (typeof value === "string") {
      const found = forms.exec(value);
      const prefix = found?.[1] ?? found?.[2] ?? found?.[3];
      if (prefix !== undefined && !ofHouse.has(prefix)) this.#note(prefix, value);
      if (naming.has(field)) this.#note(field, value);
    } else if (Array.isArray(value)) {
      for (const item of value) this.learn(item, field);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        if (!acting.has(name) && !("first_rows" in value && ofColumns.has(name))) this.learn(inner, name);
      }
    }
  }

  /** The names known under one word, in order of appearance. */
  of(word: string): readonly string[] {
    return [...(this.#known.get(word) ?? [])];
  }

  all(): ReadonlySet<string> {
    return new Set([...this.#known.values()].flatMap((some) => [...some]));
  }

  #note(word: string, name: string): void {
    const some = this.#known.get(word) ?? new Set<string>();
    this.#known.set(word, some.add(name));
  }
}
