// HTML pages: the reference, rendered by Scalar from the OpenAPI document, and the error codes.

import { faultDescriptions } from "../../core/fault_descriptions.ts";
import { type FaultCode, faults } from "../../core/faults.ts";
import { escapeHtml, htmlPage, plainPolicy } from "../../core/html.ts";
import css from "./page.css" with { type: "text" };

/** The HTML of the reference. It loads everything from this service. */
export const referencePage = htmlPage(
  "Packhouse API",
  "",
  [
    '<div id="reference"></div>',
    '<noscript>This page needs JavaScript. <a href="/openapi.json">Open the OpenAPI document</a></noscript>',
    '<script src="/docs/scalar.js"></script>\n<script src="/docs/start.js"></script>',
  ].join("\n"),
);

/** Content security policy of the reference: Scalar uses inline styles; everything else comes from this service. */
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

// By default, Scalar loads external fonts, sends telemetry and offers its vendor's tools.
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

/** The script that starts Scalar. */
export const startScript = `Scalar.createApiReference("#reference", ${JSON.stringify(settings)});\n`;

const statuses = [...new Set(Object.values(faults).map(({ status }) => status))].sort((a, b) => a - b);
const codesOf = (status: number) =>
  (Object.keys(faults) as FaultCode[]).filter((code) => faults[code].status === status);

/** The HTML of the error codes, by status. An error's `doc_url` links to its section. */
export const errorsPage = htmlPage(
  "Errors of the Packhouse API",
  `\n<style>${css}</style>`,
  [
    '<p><a href="/docs">Reference</a> · <a href="/docs/guides">Guides</a></p>\n<h1>Errors</h1>',
    "<p>Every error has a <code>code</code> whose meaning never changes. New codes may be added at any time.</p>",
    ...statuses.flatMap((status) => [`<h2>${status}</h2>`, ...codesOf(status).map(entry)]),
  ].join("\n"),
);

function entry(code: FaultCode): string {
  const { when, remedy } = faultDescriptions[code];
  const name = `<h3><a href="#${code}">${code}</a></h3>`;
  return `<section id="${code}">${name}<p>${escapeHtml(when)}</p><p class="remedy">${escapeHtml(remedy)}</p></section>`;
}

/** Content security policy of the pages of errors and guides, which load nothing else. */
export const plainPagePolicy = plainPolicy(css);
