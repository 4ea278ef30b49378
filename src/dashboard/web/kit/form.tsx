import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { newKey } from "../api/client.ts";
import { type ApiProblem, problemOf } from "../api/problem.ts";
import { guardLeaving } from "../browser/router.ts";
import { words } from "../texts/common.ts";
import { Button } from "./button.tsx";
import { confirm } from "./confirm.tsx";
import { Dialog } from "./dialog.tsx";
import { type Field, FieldRow, type Values } from "./fields.tsx";
import { Notice } from "./notice.tsx";

interface Props {
  readonly fields: readonly Field[];
  /** What the fields begin with. */
  readonly first: Values;
  /** The name of the act, on its button. */
  readonly submit: string;
  /** Does it. `key` is the `Idempotency-Key` of these entries: the same when they are sent again. */
  readonly onSubmit: (values: Values, key: string) => Promise<unknown>;
  readonly onCancel?: () => void;
  readonly danger?: boolean;
  /** The name of the way out, where "Cancel" would say two things. */
  readonly stay?: string | undefined;
  /** Above the buttons: what will happen. */
  readonly children?: (values: Values) => ComponentChildren;
  /** May be sent without any change. */
  readonly unchanged?: boolean;
  readonly onDirty?: (dirty: boolean) => void;
  /** Asks before the screen is left with entries that are not saved; a dialog asks for itself. */
  readonly guarded?: boolean;
}

/** Whether a path of the body lies below another: `barcodes[0].value` below `barcodes`. */
const isBelow = (path: string, above: string) => path.startsWith(above) && /^[.[]/.test(path.slice(above.length));
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Asks whether entries may be thrown away. */
export function askToDiscard(): Promise<boolean> {
  return confirm({ title: words.discard, text: words.discardWhy, act: words.leave, stay: words.stay, danger: true });
}

/** What is entered, what is wrong with it, and how it is sent. */
function useEntries({ fields, first: given, onSubmit, onDirty, guarded = true }: Props) {
  const [first] = useState(given);
  const [values, setValues] = useState(first);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [missing, setMissing] = useState<readonly string[]>([]);
  const form = useRef<HTMLFormElement>(null);
  const sent = useRef<{ readonly values: Values; readonly key: string } | null>(null);
  const done = useRef(false);
  const dirty = !same(values, first);
  useEffect(() => onDirty?.(dirty), [dirty]);
  useUnsaved(guarded && dirty, done);
  const set = (name: string, value: unknown) => {
    setValues((now) => ({ ...now, [name]: value }));
    setMissing((names) => names.filter((one) => one !== name));
  };
  const told = (path: string, whole = false) => {
    if (missing.includes(path)) return words.required;
    const found = problem?.fields.filter(({ field }) => field === path || (whole && isBelow(field, path)));
    return found?.map(({ message }) => message).join("; ") || undefined;
  };
  const send = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    const shown = fields.filter((field) => field.kind !== "heading" && (field.when?.(values) ?? true));
    const empty = shown.filter(({ name, required }) => required && (values[name] ?? "") === "").map(({ name }) => name);
    setMissing(empty);
    setProblem(null);
    if (empty.length > 0) return focusWrong(form.current);
    if (sent.current === null || !same(sent.current.values, values)) sent.current = { values, key: newKey() };
    setBusy(true);
    done.current = true;
    try {
      await onSubmit(values, sent.current.key);
    } catch (error) {
      done.current = false;
      setProblem(problemOf(error));
      focusWrong(form.current);
    } finally {
      setBusy(false);
    }
  };
  return { values, set, told, send, busy, problem, dirty, form };
}

/** A form from plain descriptions of its fields, with the API's refusals beside them. Ctrl Enter saves. */
export function Form(props: Props) {
  const { fields, submit, onCancel, danger, stay = words.cancel, children, unchanged = true } = props;
  const { values, set, told, send, busy, problem, dirty, form } = useEntries(props);
  const named = fields.filter(({ kind }) => kind !== "heading").map(({ name }) => name);
  const beside = (path: string) => named.some((name) => path === name || isBelow(path, name));
  const others = problem?.fields.filter(({ field }) => !beside(field)) ?? [];
  const allBeside = problem !== null && problem.fields.length > 0 && others.length === 0;
  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={send}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          form.current?.requestSubmit();
        }
      }}
    >
      {problem && <Refusal problem={problem} all_beside={allBeside} />}
      <div class="fields">
        {fields.map((field) => (
          <FieldRow key={`${field.kind} ${field.name}`} field={field} values={values} set={set} problem={told} />
        ))}
      </div>
      {children?.(values)}
      <footer class="form-acts">
        {onCancel && <Button title={stay} onClick={onCancel} disabled={busy} />}
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

/** Asks before a screen with entries is left. */
function useUnsaved(unsaved: boolean, done: { readonly current: boolean }): void {
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
  requestAnimationFrame(() => {
    const wrong =
      form?.querySelector<HTMLElement>("[aria-invalid=true]") ?? form?.querySelector<HTMLElement>(".notice");
    wrong?.focus();
    wrong?.scrollIntoView({ block: "nearest" });
  });
}

interface DialogProps extends Omit<Props, "onCancel" | "onDirty" | "guarded"> {
  readonly title: string;
  readonly onClose: () => void;
  /** Above the fields: what this is about. */
  readonly text?: string;
  readonly wide?: boolean;
}

/** A form in a dialog, which closes once it is done and asks before it throws entries away. */
export function FormDialog({ title, onClose, text, wide = false, onSubmit, ...form }: DialogProps) {
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
        onSubmit={async (values, key) => {
          await onSubmit(values, key);
          onClose();
        }}
      />
    </Dialog>
  );
}
