// No text in the dashboard names a path of the API.
import { expect, test } from "bun:test";
import { Glob } from "bun";
import { literal, nodesOf, parse } from "../tidy/source.ts";

/** Files whose texts only developers read: the reference, and error messages for requests that no screen sends. */
const for_programmers: readonly string[] = [
  ...["core/fault_descriptions.ts", "orders/order_lines.ts", "shipping/rates/quote.ts", "tracking/number_formats.ts"],
  ...["dashboard/server/", "reports/work_reports.ts", "privacy/privacy.jobs.ts"],
  "platforms/imports/unimported_order.ts",
];
const notes = /\.(?:routes|schema)\.ts$/;

test("no message names a path of the API", async () => {
  const naming: string[] = [];
  for (const file of new Glob("**/*.{ts,tsx}").scanSync("src")) {
    if (for_programmers.some((place) => file.startsWith(place)) || notes.test(file)) continue;
    const text = await Bun.file(`src/${file}`).text();
    if (!/\b(?:GET|POST|PATCH|PUT|DELETE) \//.test(text)) continue;
    for (const node of nodesOf(parse(`src/${file}`, text).tree)) {
      const quasis = (node["quasis"] ?? []) as readonly { readonly value: { readonly cooked: string } }[];
      const said = [literal(node) ?? "", ...quasis.map(({ value }) => value.cooked)];
      for (const one of said) if (/\b(?:GET|POST|PATCH|PUT|DELETE) \//.test(one)) naming.push(`${file}: ${one}`);
    }
  }
  // The request of a webhook as the delivery log shows it, and one text about the payload of events.
  expect(naming.filter((one) => !/text\/requests\.ts|developer\/delivery_attempt\.tsx/.test(one))).toEqual([]);
});
