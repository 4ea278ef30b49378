import { expect, test } from "bun:test";
import { join } from "node:path";
import { root } from "../../../../../scripts/install.ts";
import { searchSettings } from "../../../../../src/dashboard/web/screens/settings/settings_search.ts";

// The screens belong to another program with browser types, so what this test reads of them is declared here.
interface RegisteredScreen {
  readonly path: string;
  readonly section: string;
  readonly title: string;
  readonly group?: string;
  readonly line?: string;
  readonly keywords?: readonly string[];
}
interface Registered {
  readonly screens: readonly RegisteredScreen[];
  readonly sections: readonly { readonly id: string; readonly groups?: readonly { readonly id: string }[] }[];
}

const file: string = join(root, "src/dashboard/web/screens/screens.ts");
const { screens, sections } = (await import(file)) as Registered;
const own = screens.filter(({ section }) => section === "settings");
const cards = own.filter(({ group }) => group !== undefined);
const found = (typed: string) => searchSettings(cards, typed).map(({ entry }) => entry.path);

test("each screen of the settings has a card in a group, or is below one that has", () => {
  const groups = sections.flatMap((section) => (section.groups ?? []).map(({ id }) => id));
  expect(cards.filter(({ group = "" }) => !groups.includes(group))).toEqual([]);
  const isBelow = ({ path }: RegisteredScreen) => cards.some((card) => path.startsWith(`${card.path}/`));
  const others = own.filter((one) => one.group === undefined && !isBelow(one)).map(({ path }) => path);
  expect(others).toEqual(["/settings", "/settings/groups/:group"]);
  expect(groups.filter((id) => id !== "account" && !cards.some(({ group }) => group === id))).toEqual([]);
});

test("each card has a line of one sentence, and is found by its title, its line and each keyword", () => {
  for (const { path, title, line = "", keywords = [] } of cards) {
    expect([path, /^[A-Z].{15,70}[^.]\.$/.test(line), keywords.length > 2]).toEqual([path, true, true]);
    expect([path, found(title)[0]]).toEqual([path, path]);
    for (const typed of [line, ...keywords, title.toUpperCase().slice(0, 4)])
      expect([path, typed, found(typed).includes(path)]).toEqual([path, typed, true]);
  }
});

test("single settings are found by the words that users have for them, and the card shows why", () => {
  const first = ["second factor", "carrier account", "retention", "smtp", "2fa", "gdpr", "shopify", "price list"];
  expect(first.map((typed) => found(typed)[0])).toEqual([
    ...["/settings/profile", "/shipping/carriers", "/settings/retention", "/settings/mail", "/settings/profile"],
    ...["/settings/privacy", "/settings/platforms", "/shipping/rate_cards"],
  ]);
  expect(searchSettings(cards, "second")[0]?.keywords).toEqual(["second factor"]);
  expect(searchSettings(cards, "retention")[0]?.keywords).toEqual([]);
  expect([found("no such setting"), found("factor zebra")]).toEqual([[], []]);
});
