// The page at `/`: the service, first steps, and the reference. It discloses no more than `/health` does.
import { version } from "../../core/config.ts";
import { escapeHtml, htmlPage, plainPolicy } from "../../core/html.ts";
import css from "./page.css" with { type: "text" };

/** What the page may load: its own style, and nothing else. */
export const homePolicy = plainPolicy(css);

/** The answer of `/` for programs. */
export function homeFacts(origin: string): string {
  const paths = {
    api: "/v1",
    dashboard: "/dashboard",
    reference: "/docs",
    openapi: "/openapi.json",
    health: "/health",
  };
  const links = Object.entries(paths).map(([name, path]) => [name, `${origin}${path}`]);
  return JSON.stringify({ name: "Packhouse", version, ...Object.fromEntries(links) });
}

/** The page of `/` for people. `origin` is the address of the service, empty when it is unknown. */
export function homePage(origin: string): string {
  const api = `${origin === "" ? "http://ADDRESS" : origin}/v1`;
  return htmlPage(
    "Packhouse",
    `\n<style>${css}</style>`,
    [
      "<h1>Packhouse</h1>",
      `<p>Version ${version} runs here: orders, stock, labels, tracking and returns of a warehouse, as a JSON API at`,
      `<code>${escapeHtml(api)}</code>.${origin === "" ? " (ADDRESS is what your browser shows.)" : ""}</p>`,
      '<p><a href="/dashboard"><strong>Open the dashboard</strong></a>: orders, stock and settings in your browser.',
      "As long as there is no user, each start prints a link that creates the first one.</p>",
      '<ul>\n<li><a href="/docs">Reference</a>: every call, with examples to try out</li>',
      '<li><a href="/docs/errors">Errors</a>: what each code means and what to do</li>',
      '<li><a href="/openapi.json">OpenAPI document</a>: for client generators and other tools</li>',
      '<li><a href="/health">Health</a>: whether everything works</li>\n</ul>',
      "<h2>First steps for programs</h2>\n<ol>",
      ...steps(api).map(([text, lines]) => `<li>${text}\n<pre>${escapeHtml(lines)}</pre></li>`),
      "</ol>",
      "<p>From here on, see the reference: customers, orders, labels, webhooks that tell you of each change.</p>",
    ].join("\n"),
  );
}

const json = `-H "Authorization: Bearer $KEY" -H "Content-Type: application/json"`;

/** What to do first, each with its lines for a shell. */
function steps(api: string): readonly (readonly [text: string, lines: string])[] {
  return [
    [
      "The first start printed two API keys, once: one for live data, one for test data. On the machine itself this" +
        " makes another one. Begin with test data, where nothing can go wrong:",
      "packhouse keys create --name me --permission full --mode test\nKEY=ph_test_…",
    ],
    [
      "Put in your warehouse’s address: it prints on labels and packing slips. (In the live world, with a live key," +
        " it is <code>whs_1001</code>.)",
      `curl -X PATCH ${api}/inventory/locations/whs_1000000001 \\
  ${json} \\
  -d '{"name": "Harbour Foods", "address": {"address_line1": "8 Pier Rd",
       "city": "Portland", "state": "ME", "postal_code": "04101", "country": "US"}}'`,
    ],
    [
      "Enter something to sell, and ten of it in stock:",
      `curl ${api}/products \\
  ${json} \\
  -d '{"sku": "TEA-250", "name": "Green tea, 250 g", "price": "4.50"}'
curl ${api}/inventory \\
  ${json} \\
  -d '{"sku": "TEA-250", "quantity": 10}'`,
    ],
  ];
}
