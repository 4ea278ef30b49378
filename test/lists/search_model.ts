// A second definition of the order search, without a database.
import type { Found } from "./records.ts";

/** What users type: numbers, names and codes of an order, whole and partial, alone and combined. */
export function searches(all: readonly Found[]): string[] {
  const typed = all.flatMap((order, at) => {
    const { sku } = order.line_items[0];
    const tracking = order.shipments[0]?.tracking_number ?? "1Z 999";
    const [name = ""] = order.customer.name.split(" ").slice(-1);
    const texts = [
      ...[order.order_number, order.order_number.toUpperCase(), order.id, order.customer.email, `${name} ${sku}`],
      ...[
        sku.toUpperCase(),
        tracking,
        tracking.replace(/.{4}/g, "$& ").toLowerCase(),
        `${name.toLowerCase()} ${order.order_number}`,
      ],
      ...[
        order.order_number.slice(0, 3),
        /\d*$/.exec(order.order_number)?.[0] ?? "",
        tracking.slice(0, 4),
        `  ${name}`,
      ],
    ];
    return texts.slice(at % 3, 3 + (at % 11)).filter((text) => text.trim() !== "");
  });
  const odd = [
    "berg",
    "BERG",
    "erg",
    "ödön",
    "kitchen",
    "works n-",
    "renamed",
    "once schmidt",
    "%",
    "_",
    "'",
    "\\",
    "-",
  ];
  return [...typed, ...odd, "ord_", "ord_77", "buyer1", "example", "com", "web 2026", "straße", "STRASSE", "nothing"];
}

const folded = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const plain = (text: string) => folded(text).replace(/[ -]/g, "");

/** Whether a search finds an order, derived from the order and its customer as the API shows them. */
export function isFound(order: Found, q: string, customers: readonly Found[]): boolean {
  const customer = customers.find(({ id }) => id === order.customer_id);
  const { email, first_name, last_name, company, names } = customer;
  const called = [email, first_name, last_name, company, ...names].flatMap((text) =>
    (text ?? "").toLowerCase().split(" "),
  );
  const parts = called.flatMap((word: string) =>
    [...word.matchAll(/(?<![a-z0-9ß-ÿ])[a-z0-9ß-ÿ]/g)].map(({ index }) => word.slice(index)),
  );
  const numbers = order.shipments.flatMap((parcel: Found) => parcel.tracking_number ?? []).map(plain);
  const codes = [order.order_number, ...order.line_items.map((line: Found) => line.sku)].map(folded);
  const digits = /\d*$/.exec(order.order_number)?.[0] ?? "";
  const isMeant = (word: string) => {
    const code = folded(word);
    return (
      [...called, ...parts].some((one) => one !== "" && one.startsWith(word.toLowerCase())) ||
      codes.some((one) => one.startsWith(code)) ||
      (/^\d+$/.test(word) && digits.startsWith(word)) ||
      order.id === code ||
      (plain(word) !== "" && numbers.some((one: string) => one.startsWith(plain(word))))
    );
  };
  const words = q.split(" ").filter((word) => word !== "");
  return words.every(isMeant) || numbers.some((one: string) => plain(q) !== "" && one.startsWith(plain(q)));
}
