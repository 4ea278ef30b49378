import { type ApiCall, type Rehearsal, rehearse } from "../api/client.ts";
import { previewTexts as texts } from "../text/common.ts";
import { Notice } from "./notice.tsx";
import { useLatest } from "./reading.ts";

interface EffectsProps<After> {
  /** Null while the entries are incomplete. */
  readonly act: ApiCall | null;
  /** The text while there is no request to rehearse. */
  readonly idle?: string;
  readonly explain: (rehearsal: Rehearsal<After>) => readonly string[];
}

/** A preview of an action. The server rehearses the action and rolls it back. */
export function Effects<After>({ act, idle = texts.incomplete, explain }: EffectsProps<After>) {
  const question = act === null ? null : JSON.stringify(act);
  const { data, problem, asking } = useLatest(question, (signal) => rehearse<After>(act as ApiCall, { signal }));
  const effects = data === null ? [] : explain(data);
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
            {effects.map((text) => (
              <li key={text}>{text}</li>
            ))}
            {effects.length === 0 && <li>{texts.nothing}</li>}
          </ul>
          <p class="muted">
            {data.events.length === 0
              ? texts.noWebhooks
              : texts.webhooks([...new Set(data.events.map(({ type }) => type))])}
          </p>
        </>
      )}
      {act !== null && data === null && problem === null && <p class="muted">{texts.asking}</p>}
    </section>
  );
}

const toText = ({ field, message }: { readonly field: string; readonly message: string }) => `${field} ${message}.`;
