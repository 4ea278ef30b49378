/** A text that a printer can set, and whether something of it was lost on the way. */
export interface Typeable {
  readonly text: string;
  /** At least one character became a question mark. */
  readonly lost: boolean;
}

const latinLetters: Readonly<Record<string, string>> = {
  ł: "l",
  Ł: "L",
  ø: "o",
  Ø: "O",
  đ: "d",
  Đ: "D",
  ħ: "h",
  Ħ: "H",
  ŧ: "t",
  Ŧ: "T",
  ß: "ss",
  ẞ: "SS",
  æ: "ae",
  Æ: "AE",
  œ: "oe",
  Œ: "OE",
  þ: "th",
  Þ: "Th",
  ð: "d",
  Ð: "D",
  ı: "i",
  ĸ: "k",
  ŋ: "n",
  Ŋ: "N",
  "‘": "'",
  "’": "'",
  "‚": "'",
  "“": '"',
  "”": '"',
  "„": '"',
  "‐": "-",
  "‑": "-",
  "–": "-",
  "—": "-",
  "−": "-",
  "…": "...",
  "€": "EUR",
  "№": "No",
};

// Writers set characters from left to right, so these would come out backwards.
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

// Most lines are plain: printable ASCII, spaces single and only between words. They are what all of this would make.
const plain = /^(?:[!-~]+(?: [!-~]+)*)?$/;

/** One line without control and format characters, composed, with single spaces. */
export function plainLine(text: string): string {
  if (plain.test(text)) return text;
  const visible = text
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(/\p{Cf}/gu, "");
  return visible.replaceAll(/[\p{Cc}\p{Z}]+/gu, " ").trim();
}

/**
 * Replaces each character that `can_type` does not know by its plain Latin letters, or else by a question mark. Text
 * that runs from right to left counts as unknown. Every printer is known to type printable ASCII.
 */
export function typeable(text: string, can_type: (code_point: number) => boolean): Typeable {
  if (/^[ -~]*$/.test(text)) return { text, lost: false };
  let result = "";
  let lost = false;
  for (const character of text) {
    const typed = typedAs(character, can_type);
    result += typed ?? "?";
    lost ||= typed === null;
  }
  return { text: result, lost };
}

/** Whether the character is of Latin-1 and visible: what every label printer's own font has. */
export function isLatin1(code_point: number): boolean {
  return (
    (code_point >= 0x20 && code_point <= 0x7e) || (code_point >= 0xa1 && code_point <= 0xff && code_point !== 0xad)
  );
}

function typedAs(character: string, can_type: (code_point: number) => boolean): string | null {
  if (rightToLeft.test(character)) return null;
  if (can_type(character.codePointAt(0) ?? 0)) return character;
  const plain = latinLetters[character] ?? character.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  if (plain === "") return plain;
  const letters = [...plain].map((letter) => latinLetters[letter] ?? letter).join("");
  return [...letters].every((letter) => can_type(letter.codePointAt(0) ?? 0)) ? letters : null;
}
