// The pages for people: the reference, drawn by Scalar from the OpenAPI document, and what each code of an error means.
import { createHash } from "node:crypto";
import { type FaultCode, faults } from "../kit/fault.ts";
import { faultWords } from "../kit/fault_words.ts";
import css from "./page.css" with { type: "text" };

const page = (title: string, head: string, body: string) =>
  [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title>\n<link rel="icon" href="data:,">${head}\n</head>`,
    `<body>\n${body}\n</body>\n</html>\n`,
  ].join("\n");

/** The page of the reference. Everything that it asks for comes from this service. */
export const referencePage = page(
  "Packhouse API",
  "",
  [
    '<div id="reference"></div>',
    '<noscript>This page needs JavaScript. <a href="/openapi.json">The same as a document</a></noscript>',
    '<script src="/docs/scalar.js"></script>\n<script src="/docs/start.js"></script>',
  ].join("\n"),
);

/** What the page may load and ask: Scalar writes styles of its own, and everything else is this service's. */
export const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

// By default Scalar asks for fonts, sends telemetry, and offers tools of its makers.
const settings = {
  url: "/openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  proxyUrl: "",
  persistAuth: false,
  documentDownloadType: "json",
  authentication: { preferredSecurityScheme: "api_key" },
};

/** What starts the page. */
export const startScript = `Scalar.createApiReference("#reference", ${JSON.stringify(settings)});\n`;

const statuses = [...new Set(Object.values(faults).map(({ status }) => status))].sort((a, b) => a - b);
const codesOf = (status: number) =>
  (Object.keys(faults) as FaultCode[]).filter((code) => faults[code].status === status);

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** What each code means, by status. An error's `doc_url` leads to its place on this page. */
export const errorsPage = page(
  "Errors of the Packhouse API",
  `\n<style>${css}</style>`,
  [
    '<p><a href="/docs">Reference</a></p>\n<h1>Errors</h1>',
    "<p>Every refusal has a <code>code</code>, which never changes its meaning. There may be new ones at any time.</p>",
    ...statuses.flatMap((status) => [`<h2>${status}</h2>`, ...codesOf(status).map(entry)]),
  ].join("\n"),
);

function entry(code: FaultCode): string {
  const { when, remedy } = faultWords[code];
  const name = `<h3><a href="#${code}">${code}</a></h3>`;
  return `<section id="${code}">${name}<p>${escaped(when)}</p><p class="remedy">${escaped(remedy)}</p></section>`;
}

const css_digest = createHash("sha256").update(css).digest("base64");

/** A page that asks nobody for anything. */
export const errorsPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${css_digest}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
