/** The prefixes of identifiers in the API, by noun. */
export const idPrefixes = {
  order: "ord",
  order_line: "lin",
  hold: "hld",
  history: "hst",
  note: "nte",
  customer: "cus",
  address: "adr",
  product: "prd",
  reservation: "rsv",
  return: "ret",
  refund: "rfd",
  shipment: "shp",
  label: "lbl",
  manifest: "man",
  document: "doc",
  subscription: "whk",
  delivery: "dlv",
  attempt: "att",
  recovery: "rcy",
  notice: "ntc",
  carrier_account: "cac",
  connection: "plt",
  import: "imp",
  file_import: "imf",
  report: "rpt",
  listing: "lst",
  stock_push: "stp",
  stock_difference: "std",
  key: "key",
  user: "usr",
  floor_device: "fdv",
  session: "ses",
  invitation: "inv",
  warehouse: "whs",
  lot: "lot",
  movement: "mov",
  receipt: "rcv",
  transfer: "trf",
  count: "cnt",
  rate_card: "rtc",
  shipping_rule: "rul",
  zone_chart: "zch",
  audit_entry: "aud",
  merchant: "mer",
  file: "fil",
  billable_event: "bev",
  restoration: "rst",
  erasure: "ers",
  backup_run: "bak",
  view: "viw",
  wave: "wav",
  tote: "tot",
  printer: "prn",
  station: "stn",
  print_job: "prj",
  carton: "ctn",
  packing_session: "pks",
} as const;

export type IdNoun = keyof typeof idPrefixes;

/** Whether a word is one of these nouns. */
export function isNoun(word: string): word is IdNoun {
  return word in idPrefixes;
}

/** An integer id in the API's format: `ord_1042`. */
export function wireId(noun: IdNoun, id: number): string {
  return `${idPrefixes[noun]}_${id}`;
}

/** As `wireId`; null for a record that does not exist. */
export function wireIdOrNull(noun: IdNoun, id: number | null): string | null {
  return id === null ? null : wireId(noun, id);
}

/**
 * Reads an identifier in any accepted form: the integer `1042`, the digits `"1042"`, the prefixed `"ord_1042"`. Null
 * for any other text.
 */
export function readId(noun: IdNoun, value: string | number): number | null {
  if (typeof value === "number") return Number.isSafeInteger(value) && value > 0 ? value : null;
  const prefix = `${idPrefixes[noun]}_`;
  const digits = value.startsWith(prefix) ? value.slice(prefix.length) : value;
  if (!/^[1-9][0-9]{0,15}$/.test(digits)) return null;
  const id = Number(digits);
  return Number.isSafeInteger(id) ? id : null;
}

/** Reads several identifiers. An unreadable one becomes 0, which no record has. */
export const readIds = (noun: IdNoun, values: readonly (string | number)[]): number[] =>
  values.map((value) => readId(noun, value) ?? 0);

/** A random identifier that sorts by time: the prefix and a UUIDv7. For events and requests. */
export function randomId(prefix: string, at?: number): string {
  return `${prefix}_${Bun.randomUUIDv7("hex", at).replaceAll("-", "")}`;
}

const callbackKeyForm = /^(?:live|test)_[0-9a-f]{32}$/;

/** Whether text has the form of the keys in callback URLs, which anyone may call with anything. */
export function isCallbackKey(text: string): boolean {
  return callbackKeyForm.test(text);
}
