// The page that explains how a device trusts the service's own certificate authority.

import { Elysia } from "elysia";
import { endOf, fingerprintOf } from "../core/certificates.ts";
import { escapeHtml, htmlPage, plainPolicy } from "../core/html.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/request_pipeline.ts";
import { unlisted } from "../http/route.ts";
import type { Service } from "../http/service.ts";
import css from "./certificate_trust.css" with { type: "text" };

/** Path of the authority's certificate. */
const certificate_path = "/trust/authority.crt";

const settings = (...words: readonly string[]) => `<strong>${words.join(" › ")}</strong>`;
const file = "packhouse-authority.crt";

const devices: readonly (readonly [name: string, steps: readonly string[]])[] = [
  [
    "iPhone and iPad",
    [
      "Open this page in Safari and download the certificate above. Allow the profile to be downloaded.",
      `Open ${settings("Settings", "General", "VPN &amp; Device Management")} and the profile there.` +
        ` ${settings("More Details")} shows its SHA-256 fingerprint. Compare it, then install the profile.`,
      `Open ${settings("Settings", "General", "About", "Certificate Trust Settings")} and turn the certificate on.`,
    ],
  ],
  [
    "Android",
    [
      "Open this page in Chrome and download the certificate above.",
      `Open ${settings("Settings", "Security &amp; privacy", "More security settings")}, then` +
        ` ${settings("Encryption &amp; credentials", "Install a certificate", "CA certificate")} and choose the file.` +
        " If your device uses other names, search the settings for “CA certificate”.",
      `${settings("Trusted credentials", "User")} shows its SHA-256 fingerprint. Compare it, and remove the` +
        " certificate if it differs.",
    ],
  ],
  [
    "Windows",
    [
      `Download the certificate above. <code>certutil -dump ${file}</code> in its folder shows its fingerprint as` +
        " “Cert Hash(sha256)”: compare it.",
      `Open the file, choose ${settings("Install Certificate", "Current User")}, then` +
        ` ${settings("Place all certificates in the following store", "Trusted Root Certification Authorities")}.`,
      "Restart the browser.",
    ],
  ],
  [
    "Mac",
    [
      `Download the certificate above and open it: ${settings("Keychain Access")} adds it to the keychain` +
        ` ${settings("login")}.`,
      `Open it there. ${settings("Details")} shows its SHA-256 fingerprint: compare it.`,
      `Under ${settings("Trust")} set ${settings("When using this certificate")} to ${settings("Always Trust")}.` +
        " Restart the browser.",
    ],
  ],
  [
    "Linux",
    [
      `Download the certificate above. <code>openssl x509 -in ${file} -noout -fingerprint -sha256</code> shows its` +
        " fingerprint: compare it.",
      `Debian and Ubuntu: <code>sudo cp ${file} /usr/local/share/ca-certificates/</code>, then` +
        ` <code>sudo update-ca-certificates</code>. Fedora: <code>sudo trust anchor ${file}</code>. Programs such as` +
        " curl trust it now.",
      `Chrome: open <code>chrome://certificate-manager</code>, then ${settings("Custom", "Installed by you")}, and` +
        " import the file as a trusted certificate.",
    ],
  ],
  [
    "Firefox",
    [
      `Open ${settings("Settings", "Privacy &amp; Security", "View Certificates", "Authorities", "Import")} and` +
        " choose the file.",
      `${settings("View")} shows its SHA-256 fingerprint: compare it. Tick “Trust this CA to identify websites”.`,
    ],
  ],
];

/** The page about an authority with this certificate (PEM). */
function trustHtml(authority: string): string {
  const parts = devices.map(([name, steps]) => {
    const items = steps.map((step) => `<li>${step}</li>`).join("\n");
    return `<details>\n<summary>${name}</summary>\n<ol>\n${items}\n</ol>\n</details>`;
  });
  return page("Trust this Packhouse", [
    "<h1>Trust this Packhouse</h1>",
    "<p>This Packhouse created its own certificate, so that nobody on your network can read along. Your device does" +
      " not know it yet, so the browser shows a warning. You can skip it to open this page (“Advanced”, then" +
      " “Proceed” or “Visit this website”). Once your device trusts the certificate, the warning disappears.</p>",
    `<p><a class="download" href="${certificate_path}" download="${file}">Download the certificate</a></p>`,
    "<h2>Compare before you trust</h2>",
    "<p>Packhouse printed a SHA-256 fingerprint when it started. Trust the certificate only if <em>your device</em>" +
      " shows the same fingerprint. If it differs, you are connected to something else. The fingerprint is:</p>",
    `<p class="fingerprint"><code>${escapeHtml(fingerprintOf(authority))}</code></p>`,
    '<p class="soft">It is valid for names of your local network only, not for sites on the internet. It expires on' +
      ` <time>${new Date(endOf(authority)).toISOString().slice(0, 10)}</time>.</p>`,
    "<h2>Your device</h2>",
    ...parts,
    '<p>Then open <a href="/dashboard">the dashboard</a>.</p>',
  ]);
}

/** The page of a service without its own authority. */
function noTrustHtml(): string {
  return page("Nothing to trust here", [
    "<h1>Nothing to trust here</h1>",
    "<p>This Packhouse has no certificate of its own, so there is nothing to set up on devices." +
      " It creates one when it is started with <code>--tls self</code>.</p>",
  ]);
}

function page(title: string, body: readonly string[]): string {
  const head = `\n<meta name="robots" content="noindex, nofollow">\n<style>${css}</style>`;
  return htmlPage(title, head, `<main>\n${body.join("\n")}\n</main>`);
}

/** Response headers of the page, which loads nothing. */
const pageHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": plainPolicy(css),
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-cache",
};

const open_to_all = { detail: unlisted({ needs: "none" }) };

/** Routes of the trust page and the authority's certificate. They are public: a certificate is not secret. */
export function trustRoutes({ authority }: Service) {
  const html = authority === null ? noTrustHtml() : trustHtml(authority);
  const page = (call: Call) => answer(call, authority === null ? 404 : 200, html, pageHeaders);
  return new Elysia({ prefix: "/trust" })
    .use(conventions)
    .get("", ({ call }) => page(call), open_to_all)
    .get(
      "/authority.crt",
      ({ call }) => {
        if (authority === null) return page(call);
        // Phones offer to install this media type. All systems can read PEM.
        const disposition = 'attachment; filename="packhouse-authority.crt"';
        const headers = { "content-type": "application/x-x509-ca-cert", "content-disposition": disposition };
        return answer(call, 200, authority, { ...headers, "cache-control": "no-cache" });
      },
      open_to_all,
    );
}

function answer(call: Call, status: number, body: string, more: Readonly<Record<string, string>>): Response {
  return new Response(body, { status, headers: { "x-request-id": call.request_id, ...call.headers, ...more } });
}
