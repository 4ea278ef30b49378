// Removes secrets from text that is logged, wherever they came from: an error's message, a header that was echoed.

/** Patterns of secrets, and their replacements. */
const shapes: readonly (readonly [piece: RegExp, instead: string])[] = [
  [/\bph_(live|test)_[0-9A-Za-z]{8,}/g, "ph_$1_…"],
  [/\bwhsec_[A-Za-z0-9+/=_-]+/g, "whsec_…"],
  [/\b(Bearer|Basic)\s+[^\s"'\\,]+/gi, "$1 …"],
  // The password of an address: postgres://user:password@host, smtps://…
  [/(:\/\/[^\s:/?#@"']*):[^\s"'\\]*@/g, "$1:…@"],
  [/([?&](?:signature|token|secret|password|key|hash)=)[^&\s"'\\]+/gi, "$1…"],
];
const suspicious = /ph_(?:live|test)_|whsec_|bearer|basic|:\/\/\S*@|[?&](?:signature|token|secret|password|key|hash)=/i;

const known = new Set<string>();
const known_characters_min = 6;

/** Registers a secret of this process (a password, the secret key): no line of the log shows it from now on. */
export function keepSecret(secret: string): void {
  // A shorter one could match ordinary words.
  if (secret.length < known_characters_min) return;
  for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")]) known.add(form);
}

/** The text without API keys, signing secrets, passwords in addresses, and the secrets of this process. */
export function redacted(text: string): string {
  let shown = text;
  if (suspicious.test(text)) for (const [piece, instead] of shapes) shown = shown.replace(piece, instead);
  for (const secret of known) if (shown.includes(secret)) shown = shown.replaceAll(secret, "…");
  return shown;
}
