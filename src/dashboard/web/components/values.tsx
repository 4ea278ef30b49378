import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { words } from "../text/common.ts";
import { ago, date, dateStartingAt, dateTime, dateWithin, exactDateTime, nothing } from "../text/format.ts";
import { Icon } from "./icon.tsx";
import { now } from "./now.ts";

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

/** The headers of a request or response, one per line. */
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

/** A time: relative if it is recent, else a date. The tooltip has the exact time. */
export function Time({ at, exact = false }: { readonly at: string | null | undefined; readonly exact?: boolean }) {
  if (!at) return <>{nothing}</>;
  const near = Math.abs(new Date(at).getTime() - now.value) < 6 * 86_400_000;
  return (
    <time dateTime={at} title={exactDateTime(at)}>
      {exact || !near ? dateTime(at) : ago(at, now.value)}
    </time>
  );
}

interface DayValueProps {
  readonly at: string | null | undefined;
  /** The time zone in which the start of a day represents its date. */
  readonly zone?: string;
}

/** A calendar date, or date and time for other timestamps. */
export function Day({ at, zone }: DayValueProps) {
  const written = at ? ((zone ? dateStartingAt(at, zone) : null) ?? dateWithin(at)) : null;
  return written === null ? <Time at={at} /> : <time dateTime={written}>{date(written)}</time>;
}

/** Copies text. On plain http, where `navigator.clipboard` is missing, it uses `execCommand`. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return await navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** A text in monospace with a copy button. */
export function CopyField({ text, name }: { readonly text: string; readonly name: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await copyText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <span class="copy-field">
      <code>{text}</code>
      <button
        type="button"
        class="plain icon-only"
        aria-label={`${words.copy} ${name}`}
        title={words.copy}
        onClick={copy}
      >
        <Icon name={copied ? "check" : "copy"} />
      </button>
      <span role="status" class="unseen">
        {copied ? words.copied : ""}
      </span>
    </span>
  );
}

/** A name and its value; null is left out. */
export type DescriptionRow = readonly [name: string, value: ComponentChildren] | null;

/** A list of facts, one per line. */
export function DescriptionList({ facts }: { readonly facts: readonly DescriptionRow[] }) {
  return (
    <dl class="facts">
      {facts.map((fact) =>
        fact === null ? null : (
          <div key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd>
              {fact[1] === null || fact[1] === undefined || fact[1] === false || fact[1] === "" ? nothing : fact[1]}
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** An entry of a timeline. */
interface TimelineEntry {
  readonly id: string;
  readonly at: string;
  readonly title: ComponentChildren;
  /** The user or key. */
  readonly by?: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly tone?: string;
}

/** A timeline, newest entry first. */
export function Timeline({ entries }: { readonly entries: readonly TimelineEntry[] }) {
  return (
    <ol class="timeline">
      {entries.map(({ id, at, title, by, note, tone }) => (
        <li key={id} class={tone}>
          <div class="timeline-title">{title}</div>
          <div class="timeline-note">
            <Time at={at} />
            {by && <> · {by}</>}
          </div>
          {note && <div class="timeline-more">{note}</div>}
        </li>
      ))}
    </ol>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly href?: string;
}

/** A number and what it counts. */
export function Figure({ name, value, note, href }: FigureProps) {
  const content = (
    <>
      <span class="figure-name">{name}</span>
      <span class="figure-value">{value}</span>
      {note && <span class="figure-note">{note}</span>}
    </>
  );
  return href ? (
    <a class="figure" href={href}>
      {content}
    </a>
  ) : (
    <div class="figure">{content}</div>
  );
}

/** Numbers side by side. */
export function Figures({ children }: { readonly children: ComponentChildren }) {
  return <div class="figures">{children}</div>;
}
