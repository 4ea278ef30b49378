// Text that was written for HTML, as plain text.

const named: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", shy: "" },
  ...{ ndash: "–", mdash: "—", hellip: "…", lsquo: "‘", rsquo: "’", sbquo: "‚", ldquo: "“", rdquo: "”", bdquo: "„" },
  ...{ laquo: "«", raquo: "»", bull: "•", middot: "·", times: "×", deg: "°", euro: "€", pound: "£", yen: "¥" },
  ...{ cent: "¢", copy: "©", reg: "®", trade: "™", frac12: "½", frac14: "¼", frac34: "¾", plusmn: "±" },
};

/** Replaces the character references of a text once: `&amp;` becomes `&`, `&#8217;` `’`. Unknown ones stay. */
export function withoutEntities(text: string): string {
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
