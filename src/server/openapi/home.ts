// The page at `/`: the service, first steps and the reference. It reveals no more than `/health`.
import { version } from "../../core/config.ts";
import { escapeHtml, htmlPage, plainPolicy } from "../../core/html.ts";
import css from "./page.css" with { type: "text" };

/** Content security policy of the page: only its own style may load. */
export const homePolicy = plainPolicy(css);

/** The response of `/` for programs, as JSON text: name, version and links. */
export function homeFacts(origin: string): string {
  const paths = {
    api: "/v1",
    dashboard: "/dashboard",
    reference: "/docs",
    guides: "/docs/guides",
    openapi: "/openapi.json",
    health: "/health",
  };
  const links = Object.entries(paths).map(([name, path]) => [name, `${origin}${path}`]);
  return JSON.stringify({ name: "Packhouse", version, ...Object.fromEntries(links) });
}

/** The HTML of `/`. `origin` is the address of the service, empty if unknown. */
export function homePage(origin: string): string {
  const api = `${origin === "" ? "http://ADDRESS" : origin}/v1`;
  return htmlPage(
    "Packhouse",
    `\n<style>${css}</style>`,
    [
      "<h1>Packhouse</h1>",
      `<p>Packhouse ${version}: orders, stock, labels, tracking and returns of a warehouse, with a JSON API at`,
      `<code>${escapeHtml(api)}</code>.${origin === "" ? " (ADDRESS is the address in your browser.)" : ""}</p>`,
      '<p><a href="/dashboard"><strong>Open the dashboard</strong></a>: orders, stock and settings in your browser.',
      "Until the first user exists, each start prints a link to create it.</p>",
      '<ul>\n<li><a href="/docs">Reference</a>: every endpoint, with examples that you can run</li>',
      '<li><a href="/docs/guides">Guides</a>: conventions of the API, each of its parts, and running the service</li>',
      '<li><a href="/docs/errors">Errors</a>: the meaning of each code, and what to do</li>',
      '<li><a href="/openapi.json">OpenAPI document</a>: for client generators and other tools</li>',
      '<li><a href="/health">Health</a>: the current status</li>\n</ul>',
      "<h2>API quick start</h2>\n<ol>",
      ...steps(api).map(([text, lines]) => `<li>${text}\n<pre>${escapeHtml(lines)}</pre></li>`),
      "</ol>",
      "<p>Continue with the reference: customers, orders, labels, and webhooks for every change.</p>",
    ].join("\n"),
  );
}

const json = `-H "Authorization: Bearer $KEY" -H "Content-Type: application/json"`;

/** The first steps, each with its shell commands. */
function steps(api: string): readonly (readonly [text: string, lines: string])[] {
  return [
    [
      "The first start printed two API keys, once: one for live data, one for test data. To create another, run this" +
        " on the server. Start with test data, where nothing can go wrong:",
      "packhouse keys create --name me --permission full --mode test\nKEY=ph_test_…",
    ],
    [
      "Set your warehouse’s address, which is printed on labels and packing slips. (In live data, with a live key," +
        " its id is <code>whs_1001</code>.)",
      `curl -X PATCH ${api}/inventory/locations/whs_1000000001 \\
  ${json} \\
  -d '{"name": "Harbour Foods", "address": {"address_line1": "8 Pier Rd",
       "city": "Portland", "state": "ME", "postal_code": "04101", "country": "US"}}'`,
    ],
    [
      "Create a product, and add ten units to stock:",
      `curl ${api}/products \\
  ${json} \\
  -d '{"sku": "TEA-250", "name": "Green tea, 250 g", "price": "4.50"}'
curl ${api}/inventory \\
  ${json} \\
  -d '{"sku": "TEA-250", "quantity": 10}'`,
    ],
  ];
}
