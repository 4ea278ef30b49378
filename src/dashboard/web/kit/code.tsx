/** Indents JSON; other text stays as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Code or data in a box that scrolls. */
export function Code({ text, name }: { readonly text: string; readonly name: string }) {
  return (
    <pre class="code" tabIndex={0} role="region" aria-label={name}>
      <code>{text}</code>
    </pre>
  );
}

/** The headers of a request or answer, one per line. */
export function Headers({
  headers,
  name,
}: {
  readonly headers: Readonly<Record<string, string>>;
  readonly name: string;
}) {
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`);
  return <Code name={name} text={lines.join("\n")} />;
}
