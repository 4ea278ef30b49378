import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { newKey } from "../api/client.ts";
import { type ApiProblem, problemOf, wrongFields } from "../api/problem.ts";
import { guardLeaving } from "../browser/router.ts";
import { useShortcuts } from "../browser/shortcuts.ts";
import { words } from "../text/common.ts";
import { Button } from "./button.tsx";
import { confirm, Dialog } from "./dialog.tsx";
import { FieldRow, type FormField, type FormValues } from "./fields.tsx";
import { bodyOf, valuesOf } from "./form_values.ts";
import { Notice } from "./notice.tsx";

interface FormProps {
  readonly fields: readonly FormField[];
  /** The record that the form changes; without it the record is new. */
  readonly record?: object;
  /** Initial values that are not those of the record or of the fields. */
  readonly first?: FormValues;
  /** The text of the submit button. */
  readonly submit: string;
  /** The text of a second button that submits, left of the first one. */
  readonly other?: string;
  /**
   * Sends the entries, or the request body that they make. `key` is their `Idempotency-Key`, the same when they are
   * sent again. `is_other` is whether the second button was pressed.
   */
  readonly onSubmit: (values: FormValues, key: string, body: FormValues, is_other: boolean) => Promise<unknown>;
  readonly onCancel?: () => void;
  readonly danger?: boolean | undefined;
  /** The text of the button that leaves the form, where "Cancel" would be ambiguous. */
  readonly stay?: string | undefined;
  /** The content above the buttons, such as a preview. */
  readonly children?: (values: FormValues) => ComponentChildren;
  /** Whether the form may be sent unchanged. */
  readonly unchanged?: boolean;
  readonly onDirty?: (dirty: boolean) => void;
  /** Whether to ask before the user leaves the screen with unsaved entries. Dialogs ask themselves. */
  readonly guarded?: boolean;
}

/** Whether a path of the body is below another, as `barcodes[0].value` is below `barcodes`. */
const isBelow = (path: string, above: string) => path.startsWith(above) && /^[.[]/.test(path.slice(above.length));
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Asks for confirmation to discard the entries. */
function askToDiscard(): Promise<boolean> {
  return confirm({ title: words.discard, text: words.discardWhy, act: words.leave, stay: words.stay, danger: true });
}

/** The state of a form: entries, errors and submission. */
function useEntries({ fields, record, first: initial, onSubmit, onDirty, guarded = true }: FormProps) {
  const [first] = useState({ ...valuesOf(fields, record), ...initial });
  const [values, setValues] = useState(first);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [missing, setMissing] = useState<readonly string[]>([]);
  const [refusals, setRefusals] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  const sent = useRef<{ readonly values: FormValues; readonly key: string } | null>(null);
  const done = useRef(false);
  const dirty = !same(values, first);
  useEffect(() => onDirty?.(dirty), [dirty]);
  useUnsaved(guarded && dirty, done);
  // In the render that shows the errors: a frame later, this could take the focus from a field the user is typing in.
  useLayoutEffect(() => {
    if (refusals > 0) focusWrong(form.current);
  }, [refusals]);
  const set = (name: string, value: unknown) => {
    setValues((now) => ({ ...now, [name]: value }));
    setMissing((names) => names.filter((one) => one !== name));
  };
  const problemAt = (path: string, whole = false) => {
    if (missing.includes(path)) return words.required;
    const found =
      problem && wrongFields(problem).filter(({ field }) => field === path || (whole && isBelow(field, path)));
    return found?.map(({ message }) => message).join("; ") || undefined;
  };
  const send = async (event: Event, is_other = false) => {
    event.preventDefault();
    if (busy) return;
    const shown = fields.filter((field) => field.kind !== "heading" && (field.when?.(values) ?? true));
    const empty = shown.filter(({ name, required }) => required && (values[name] ?? "") === "").map(({ name }) => name);
    setMissing(empty);
    setProblem(null);
    if (empty.length > 0) return setRefusals((count) => count + 1);
    if (sent.current === null || !same(sent.current.values, values)) sent.current = { values, key: newKey() };
    setBusy(true);
    done.current = true;
    try {
      await onSubmit(values, sent.current.key, bodyOf(fields, values, record), is_other);
    } catch (error) {
      done.current = false;
      setProblem(problemOf(error));
      setRefusals((count) => count + 1);
    } finally {
      setBusy(false);
    }
  };
  return { values, set, problemAt, send, busy, problem, dirty, form };
}

/** A form built from field descriptions. API errors appear next to the fields; Ctrl+Enter submits. */
export function Form(props: FormProps) {
  const { fields, submit, other, onCancel, danger, stay = words.cancel, children, unchanged = true } = props;
  const { values, set, problemAt, send, busy, problem, dirty, form } = useEntries(props);
  const named = fields.filter(({ kind }) => kind !== "heading").map(({ name }) => name);
  const isShownAt = (path: string) => named.some((name) => path === name || isBelow(path, name));
  const wrong = problem === null ? [] : wrongFields(problem);
  const allShown = wrong.length > 0 && wrong.every(({ field }) => isShownAt(field));
  // The form handles the key itself, also while a field has the focus.
  useShortcuts([{ keys: "Ctrl Enter", title: submit, in_dialogs: true }]);
  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={(event) => send(event)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          form.current?.requestSubmit();
        }
      }}
    >
      {problem && <Refusal problem={problem} all_beside={allShown} />}
      <div class="fields">
        {fields.map((field) => (
          <FieldRow key={`${field.kind} ${field.name}`} field={field} values={values} set={set} problem={problemAt} />
        ))}
      </div>
      {children?.(values)}
      <footer class="form-acts">
        {onCancel && <Button title={stay} onClick={onCancel} disabled={busy} />}
        {other && <Button title={other} onClick={(event) => send(event, true)} disabled={busy} />}
        <Button
          submit
          kind={danger ? "danger" : "primary"}
          title={submit}
          busy={busy}
          disabled={!unchanged && !dirty}
        />
      </footer>
    </form>
  );
}

function Refusal({ problem, all_beside }: { readonly problem: ApiProblem; readonly all_beside: boolean }) {
  if (problem.code === "precondition_failed") return <Notice kind="warning">{words.changed}</Notice>;
  if (all_beside) return <Notice kind="problem">{words.wrongFields}</Notice>;
  return <Notice problem={problem} />;
}

/** Asks before the user leaves a screen with unsaved entries, unless `done` is set. */
export function useUnsaved(unsaved: boolean, done: { readonly current: boolean } = { current: false }): void {
  useEffect(() => {
    if (!unsaved) return;
    const free = guardLeaving((go) => {
      if (done.current) return false;
      void askToDiscard().then((leave) => leave && go());
      return true;
    });
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", onUnload);
    return () => {
      free();
      window.removeEventListener("beforeunload", onUnload);
    };
  }, [unsaved]);
}

function focusWrong(form: HTMLElement | null): void {
  const wrong = form?.querySelector<HTMLElement>("[aria-invalid=true]") ?? form?.querySelector<HTMLElement>(".notice");
  wrong?.focus();
  wrong?.scrollIntoView({ block: "nearest" });
}

/** A form in a dialog. */
export interface FormDialogProps extends Omit<FormProps, "onCancel" | "onDirty" | "guarded"> {
  readonly title: string;
  readonly onClose: () => void;
  /** The text above the fields. */
  readonly text?: ComponentChildren;
  readonly wide?: boolean;
}

/** A form in a dialog. It closes when the form is sent and asks before it discards entries. */
export function FormDialog({ title, onClose, text, wide = false, onSubmit, ...form }: FormDialogProps) {
  const dirty = useRef(false);
  const close = async () => {
    if (!dirty.current || (await askToDiscard())) onClose();
  };
  return (
    <Dialog
      title={title}
      wide={wide}
      onClose={onClose}
      mayClose={() => {
        if (dirty.current) void close();
        return !dirty.current;
      }}
    >
      {text && <p class="dialog-text">{text}</p>}
      <Form
        {...form}
        guarded={false}
        onDirty={(now) => (dirty.current = now)}
        onCancel={close}
        onSubmit={async (...entered) => {
          await onSubmit(...entered);
          onClose();
        }}
      />
    </Dialog>
  );
}
