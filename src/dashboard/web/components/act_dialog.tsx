import { post, type Rehearsal, rehearse, remove } from "../api/client.ts";
import { effectTexts, effectTexts as texts } from "../text/order.ts";
import type { FormField, FormValues } from "./fields.tsx";
import { FormDialog } from "./form.tsx";
import { Notice } from "./notice.tsx";
import { useLatest } from "./reading.ts";

/** The request of an action. */
export interface RehearsedCall {
  readonly method: "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly params?: Readonly<Record<string, string | number | boolean | null | undefined>>;
}

interface EffectsProps<After> {
  /** Null while the entries are incomplete. */
  readonly act: RehearsedCall | null;
  /** The text while there is no request to rehearse. */
  readonly idle?: string;
  readonly explain: (rehearsal: Rehearsal<After>) => readonly string[];
}

/** A preview of an action. The server rehearses the action and rolls it back. */
export function Effects<After>({ act, idle = texts.incomplete, explain }: EffectsProps<After>) {
  const question = act === null ? null : JSON.stringify(act);
  const { data, problem, asking } = useLatest(question, (signal) => {
    const { method, path, body, params } = act as RehearsedCall;
    return rehearse<After>(method, path, body, { signal, params });
  });
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

interface ActDialogProps<After> {
  readonly title: string;
  readonly text?: string | undefined;
  readonly fields: readonly FormField[];
  readonly first: FormValues;
  readonly submit: string;
  readonly danger?: boolean | undefined;
  readonly stay?: string | undefined;
  readonly wide?: boolean;
  /** The ETag of the shown resource: the action is refused if someone else changed it. */
  readonly etag: string | null;
  /** The request for these entries, or null while they are incomplete. */
  readonly act: (values: FormValues) => RehearsedCall | null;
  readonly explain: (rehearsal: Rehearsal<After>) => readonly string[];
  readonly onDone: (after: After, values: FormValues) => void;
  readonly onClose: () => void;
}

/** A dialog for an action: its fields, a preview of its effects, and the button that runs it. */
export function ActDialog<After>(props: ActDialogProps<After>) {
  const { title, text, fields, first, submit, danger = false, wide = false, etag, act, explain } = props;
  const { stay, onDone, onClose } = props;
  return (
    <FormDialog
      title={title}
      {...(text === undefined ? {} : { text })}
      fields={fields}
      first={first}
      submit={submit}
      danger={danger}
      stay={stay}
      wide={wide}
      onClose={onClose}
      onSubmit={async (values, key) => {
        const call = act(values);
        if (call === null) throw new Error(effectTexts.incomplete);
        const { method, path, body, params } = call;
        const sending = { key, match: etag, params };
        const answer = await (method === "DELETE" ? remove<After>(path, sending) : post<After>(path, body, sending));
        onDone(answer.data, values);
      }}
    >
      {(values) => <Effects act={act(values)} explain={explain} />}
    </FormDialog>
  );
}
