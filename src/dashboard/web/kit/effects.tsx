import { type Rehearsal, rehearse } from "../api/client.ts";
import { effectTexts as texts } from "../texts/acts.ts";
import { Notice } from "./notice.tsx";
import { useLatest } from "./use_latest.ts";

/** A request that an act sends. */
export interface Act {
  readonly method: "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly params?: Readonly<Record<string, string | number | boolean | null | undefined>>;
}

interface Props<After> {
  /** Null while the entries are incomplete. */
  readonly act: Act | null;
  /** The text while there is no request to rehearse. */
  readonly idle?: string;
  readonly explain: (rehearsal: Rehearsal<After>) => readonly string[];
}

/** A preview of what an act will do. The server rehearses the act and rolls it back. */
export function Effects<After>({ act, idle = texts.incomplete, explain }: Props<After>) {
  const question = act === null ? null : JSON.stringify(act);
  const { data, problem, asking } = useLatest(question, (signal) => {
    const { method, path, body, params } = act as Act;
    return rehearse<After>(method, path, body, { signal, params });
  });
  const told = data === null ? [] : explain(data);
  return (
    <section
      class={asking ? "effects stale" : "effects"}
      aria-label={texts.title}
      aria-live="polite"
      aria-busy={asking}
    >
      <p class="effects-title">{texts.title}</p>
      {act === null && <p class="muted">{idle}</p>}
      {problem && <Notice kind="warning">{[problem.message, ...problem.fields.map(toText)].join(" ")}</Notice>}
      {data && (
        <>
          <ul>
            {told.map((text) => (
              <li key={text}>{text}</li>
            ))}
            {told.length === 0 && <li>{texts.nothing}</li>}
          </ul>
          <p class="muted">
            {data.events.length === 0
              ? texts.toldNothing
              : texts.told([...new Set(data.events.map(({ type }) => type))])}
          </p>
        </>
      )}
      {act !== null && data === null && problem === null && <p class="muted">{texts.asking}</p>}
    </section>
  );
}

const toText = ({ field, message }: { readonly field: string; readonly message: string }) => `${field} ${message}.`;
