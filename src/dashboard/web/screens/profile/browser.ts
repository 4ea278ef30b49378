// The order matters, because browsers also contain the names of others.
const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg(?:e|A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/Chrome\/|CriOS\//, "Chrome"],
  [/Safari\//, "Safari"],
  [/curl\//, "curl"],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Macintosh|Mac OS X/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

const found = (names: readonly (readonly [RegExp, string])[], text: string) =>
  names.find(([form]) => form.test(text))?.[1];

/** The readable name of a browser, such as "Firefox, Windows"; null if unknown. */
export function browserWords(user_agent: string | null): string | null {
  const named = [found(browsers, user_agent ?? ""), found(systems, user_agent ?? "")].filter(Boolean);
  return named.length === 0 ? null : named.join(", ");
}
