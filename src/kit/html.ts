import { createHash } from "node:crypto";

/** A page of a title, what else stands in its head, and a body, all three written as HTML. */
export function htmlPage(title: string, head: string, body: string): string {
  return [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title>\n<link rel="icon" href="data:,">${head}\n</head>`,
    `<body>\n${body}\n</body>\n</html>\n`,
  ].join("\n");
}

/** The policy of a page that asks nobody for anything and has one style of its own. */
export function plainPolicy(css: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(css).digest("base64")}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** A text as HTML shows it. */
export const escaped = (text: string): string => Bun.escapeHTML(text);
