// The pages for people: the reference, drawn by Scalar from the OpenAPI document, and the meaning of each error code.

import { faultDescriptions } from "../../core/fault_descriptions.ts";
import { type FaultCode, faults } from "../../core/faults.ts";
import { escapeHtml, htmlPage, plainPolicy } from "../../core/html.ts";
import css from "./page.css" with { type: "text" };

/** The page of the reference. Everything that it asks for comes from this service. */
export const referencePage = htmlPage(
  "Packhouse API",
  "",
  [
    '<div id="reference"></div>',
    '<noscript>This page needs JavaScript. <a href="/openapi.json">The same as a document</a></noscript>',
    '<script src="/docs/scalar.js"></script>\n<script src="/docs/start.js"></script>',
  ].join("\n"),
);

/** The content policy of the page: Scalar writes inline styles, everything else comes from this service. */
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

/** What each code means, by status. An error's `doc_url` leads to its place on this page. */
export const errorsPage = htmlPage(
  "Errors of the Packhouse API",
  `\n<style>${css}</style>`,
  [
    '<p><a href="/docs">Reference</a></p>\n<h1>Errors</h1>',
    "<p>Every refusal has a <code>code</code>, which never changes its meaning. There may be new ones at any time.</p>",
    ...statuses.flatMap((status) => [`<h2>${status}</h2>`, ...codesOf(status).map(entry)]),
  ].join("\n"),
);

function entry(code: FaultCode): string {
  const { when, remedy } = faultDescriptions[code];
  const name = `<h3><a href="#${code}">${code}</a></h3>`;
  return `<section id="${code}">${name}<p>${escapeHtml(when)}</p><p class="remedy">${escapeHtml(remedy)}</p></section>`;
}

/** A page that loads nothing from elsewhere. */
export const errorsPolicy = plainPolicy(css);
