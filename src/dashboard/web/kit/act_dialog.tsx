import type { Rehearsal } from "../api/client.ts";
import { post, remove } from "../api/client.ts";
import { effectTexts } from "../texts/acts.ts";
import { type Act, Effects } from "./effects.tsx";
import type { Field, Values } from "./fields.tsx";
import { FormDialog } from "./form.tsx";

interface Props<After> {
  readonly title: string;
  readonly text?: string | undefined;
  readonly fields: readonly Field[];
  readonly first: Values;
  readonly submit: string;
  readonly danger?: boolean | undefined;
  readonly stay?: string | undefined;
  readonly wide?: boolean;
  /** The ETag of the shown resource: the act is refused if somebody else changed it. */
  readonly etag: string | null;
  /** The request for these entries, or null while they are incomplete. */
  readonly act: (values: Values) => Act | null;
  readonly explain: (rehearsal: Rehearsal<After>) => readonly string[];
  readonly onDone: (after: After, values: Values) => void;
  readonly onClose: () => void;
}

/** A dialog for an act: its fields, a preview of its effects, and the button that does it. */
export function ActDialog<After>(props: Props<After>) {
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
        const asked = act(values);
        if (asked === null) throw new Error(effectTexts.incomplete);
        const { method, path, body, params } = asked;
        const sending = { key, match: etag, params };
        const answer = await (method === "DELETE" ? remove<After>(path, sending) : post<After>(path, body, sending));
        onDone(answer.data, values);
      }}
    >
      {(values) => <Effects act={act(values)} explain={explain} />}
    </FormDialog>
  );
}
