import { createHash } from "node:crypto";

// HTML entities, page skeletons and escaping.

// biome-ignore format: a table is read by its columns.
const named: Readonly<Record<string, string>> = {
  amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", shy: "",
  ndash: "–", mdash: "—", hellip: "…", lsquo: "‘", rsquo: "’", sbquo: "‚", ldquo: "“", rdquo: "”", bdquo: "„",
  laquo: "«", raquo: "»", bull: "•", middot: "·", times: "×", deg: "°", euro: "€", pound: "£", yen: "¥",
  cent: "¢", copy: "©", reg: "®", trade: "™", frac12: "½", frac14: "¼", frac34: "¾", plusmn: "±",
};

/** Decodes the character references of a text once: `&amp;` becomes `&`, `&#8217;` `’`. Unknown ones stay. */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}\d{0,2}));/g,
    (whole, decimal, hex, name) => {
      if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole;
      const code = Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10);
      const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : whole;
    },
  );
}

/** A page from its title, additional head elements and body, all as HTML. */
export function htmlPage(title: string, head: string, body: string): string {
  return [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title>\n<link rel="icon" href="data:,">${head}\n</head>`,
    `<body>\n${body}\n</body>\n</html>\n`,
  ].join("\n");
}

/** The content security policy of a page with one inline style, which loads at most images of this server. */
export function plainPolicy(css: string, images: "data:" | "'self' data:" = "data:"): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(css).digest("base64")}'`,
    `img-src ${images}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Escapes a text for HTML. */
export const escapeHtml = (text: string): string => Bun.escapeHTML(text);
