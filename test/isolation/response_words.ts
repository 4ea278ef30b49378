// Names in responses: substitutes for unknown records, the comparable part of two responses, and names of others.
import examples from "../../src/server/openapi/examples.json";
import { ownTrackingNumber } from "../../src/shipping/labels/tracking_number.ts";
import type { Asked, Fixture, Told } from "./fixture.ts";

/** An unknown name in the form of an existing one. */
export function unknownOf(word: string, like: string): string {
  if (word === "merchant")
    return /^\d+$/.test(like) ? "987654321" : like.startsWith("mer_") ? "mer_987654321" : "NOBODY";
  if (word === "cursor") return "bWFkZSB1cA.bWFkZSB1cA";
  if (/^[a-z]{3}_\d+$/.test(like)) return `${like.slice(0, 4)}987654321`;
  if (/^\d+$/.test(like) && word.length === 3) return "987654321";
  if (word === "evt") return `evt_${"0".repeat(32)}`;
  // The id of a quote contains its time.
  if (word === "quo") return `${like.slice(0, 16)}${"0".repeat(20)}_0`;
  if (like.startsWith("https://")) return `${like}-none`;
  // A tracking number of our own labels is recognized by its form.
  if (/^WH\d{12}[0-9A-Z]$/.test(like)) return ownTrackingNumber("WH", 777_777_777_777);
  return like.replace(/\d/g, "7").replace(/[a-z]/g, "q").replace(/[A-Z]/g, "Q");
}

const requests = /\breq_[0-9a-f]{32}\b/g;

/** Headers that differ for every request. */
const own_headers = /^(?:x-request-id|(?:x-)?ratelimit(?:-.*)?)$/;

/** The whole content of a response: its headers and its text. */
export const wholeOf = ({ text, headers }: Pick<Told, "text" | "headers">): string =>
  [...[...headers].filter(([name]) => !own_headers.test(name)).map(([name, said]) => `${name}: ${said}`), text].join(
    "\n",
  );

/** A response without what is specific to it, and without the value that was sent. */
export function plain(answer: Told, sent: string): string {
  const { status } = answer;
  const text = wholeOf(answer);
  const order = new Map<string, string>();
  // An id must not match part of a longer one, nor a number part of a newer record's id.
  const forms = [sent, encodeURIComponent(sent), sent.replace("https://", "")].map((form) =>
    /^\w+$/.test(form) ? new RegExp(`\\b${form}\\b`, "g") : form,
  );
  const told = forms
    .reduce<string>((left, form) => left.replaceAll(form, "<sent>"), text.replace(requests, "<request>"))
    .replace(/"timestamp":"[^"]+"/, "<now>")
    // A digest of the whole response.
    .replace(/^etag: .+$/m, "etag: <tag>")
    // A key's last use is recorded with a delay.
    .replace(/"last_used_at":"[^"]+"/g, "<lately>")
    .replace(/(#)[\w-]{43}|(expires=)\d+&signature=[\w-]+/g, "$1$2<chance>")
    .replace(/\b(?:live|test)_[0-9a-f]{32}\b/g, "<chance>")
    .replace(/\bevt_(?:test_)?[0-9a-f]{32}\b/g, "<event>")
    .replace(/\bquo_[0-9a-f]{32}/g, "<quote>")
    .replace(/\b([a-z]{3})_\d+\b/g, (id) => {
      const known = order.get(id) ?? `<${id.slice(0, 3)} ${order.size}>`;
      order.set(id, known);
      return known;
    });
  return `${status} ${told}`;
}

const around = 120;

/** Where a response differs from the expected one, with some context. */
export function differenceOf(got: string, expected: string): string {
  let at = 0;
  while (at < got.length && got[at] === expected[at]) at += 1;
  const [has, wants] = [got, expected].map((text) => text.slice(Math.max(0, at - around), at + around));
  return `${got.slice(0, 3)} …${has}… instead of ${expected.slice(0, 3)} …${wants}…`;
}

const ids = /\b(?:[a-z]{3}_\d{4,}|evt_[0-9a-f]{32}|quo_[0-9a-f]{32}_\d)\b/g;
const short = 4;
const shown = JSON.stringify(examples);

/** A pattern for the codes of bins, which merchants may not see. */
function binsIn(codes: ReadonlySet<string>): RegExp {
  const written = [...codes].map((code) => code.replace(/[^\w-]/g, "\\$&"));
  return new RegExp(`(?<![\\w-])(?:${written.join("|")})(?![\\w-])`, "g");
}

/** Finds names of others and bins in a response, except those that were sent. */
export function strangers(
  { merchants: { MAIN, BETA, ALFA }, shared, bins }: Pick<Fixture, "merchants" | "shared" | "bins">,
  own: ReadonlySet<string> = BETA.names.all(),
): (text: string, asked: Pick<Asked, "path" | "body">) => string[] {
  const others = [MAIN, BETA, ALFA]
    .flatMap(({ names }) => [...names.all()])
    .filter((name) => !own.has(name) && !shared.has(name));
  const known = new Set(others);
  const named = others.filter((name) => name.length > short && !/^[a-z]{3}_\d+$/.test(name));
  const places = binsIn(bins);
  const seen = new Map<string, string[]>();
  return (text, { path, body }) => {
    const key = text.replace(requests, "");
    const found = seen.get(key) ?? [
      ...[...text.matchAll(ids)].map(([id]) => id).filter((id) => known.has(id)),
      ...named.filter((name) => text.includes(name)),
      ...[...text.matchAll(places)].map(([code]) => code),
    ];
    seen.set(key, found);
    if (found.length === 0) return found;
    const sent = decodeURIComponent(path) + JSON.stringify(body ?? "");
    const parts = sent.split(/[/?=&"[\],{}:]/).filter((one) => one.length >= short);
    const isSent = (name: string) => sent.includes(name) || parts.some((one) => name.includes(one));
    // A webhook test event contains the reference's examples.
    const isExample = (name: string) => text.includes("evt_test_") && shown.includes(name);
    return [...new Set(found)].filter((name) => !isSent(name) && !isExample(name));
  };
}
