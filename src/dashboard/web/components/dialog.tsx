import { signal } from "@preact/signals";
import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { type ApiProblem, problemOf } from "../api/problem.ts";
import { place } from "../browser/router.ts";
import { words } from "../text/common.ts";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";
import { CopyField } from "./values.tsx";

interface DialogProps {
  readonly title: string;
  /** Called when the dialog has closed, in any way. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
  /** Called before Esc or a click outside closes the dialog; false keeps it open. */
  readonly mayClose?: () => boolean;
}

/** What takes the focus when a dialog opens, best first. A secret is copied before it is confirmed. */
const first_focus = [
  "input:not([type=hidden]), select, textarea",
  ".secret button",
  ".dialog-acts > .primary, .form-acts > .primary",
  ".dialog-acts > .button, .form-acts > .button",
  ".dialog-body button, .dialog-body a[href]",
];

/**
 * Focuses the first field of a dialog, or a button below its text, instead of the button that closes it. Of a dangerous
 * act, it is the button that does nothing. On touch screens fields wait for a tap, since the keyboard would cover them.
 * A long dialog shows its beginning.
 */
function focusWithin(dialog: HTMLDialogElement | null): void {
  if (dialog === null || document.activeElement?.closest("dialog > div > header") === null) return;
  const wanted = matchMedia("(pointer: coarse)").matches ? first_focus.slice(1) : first_focus;
  const found = wanted.flatMap((selector) => [...dialog.querySelectorAll<HTMLInputElement>(selector)]);
  found.find((one) => !one.disabled && one.checkVisibility())?.focus({ preventScroll: true });
}

/** A modal dialog. It traps the focus and restores it when it closes. */
export function Dialog({ title, onClose, children, wide = false, mayClose = () => true }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    focusWithin(shown);
    return () => {
      // A dialog that is closed has returned the focus already, and the next key may have moved it since.
      if (shown?.open && before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const close = () => mayClose() && dialog.current?.close();
  return (
    <dialog
      ref={dialog}
      class={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onClose={onClose}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        if (!mayClose()) event.preventDefault();
      }}
      onMouseDown={(event) => event.target === event.currentTarget && close()}
    >
      <div class="dialog-in">
        <header>
          <h2 id={id}>{title}</h2>
          <Button kind="plain" icon="close" iconOnly title={words.close} onClick={close} />
        </header>
        <div class="dialog-body">{children}</div>
      </div>
    </dialog>
  );
}

interface SecretDialogProps {
  readonly title: string;
  readonly secret: string;
  readonly name?: string;
  /** The notice that the secret is shown only once. */
  readonly text: string;
  readonly mayClose?: () => boolean;
  readonly onDone: () => void;
  readonly children?: ComponentChildren;
}

/** Shows a secret once, until the user confirms that they saved it. */
export function SecretDialog(props: SecretDialogProps) {
  const { title, secret, name = title, text, mayClose = () => false, onDone, children } = props;
  return (
    <Dialog title={title} onClose={onDone} mayClose={mayClose}>
      {children}
      <div class="secret">
        <p>{text}</p>
        <CopyField text={secret} name={name} />
        <footer class="dialog-acts">
          <Button kind="primary" title={words.done} onClick={onDone} />
        </footer>
      </div>
    </Dialog>
  );
}

interface OpenDialog {
  readonly number: number;
  readonly render: (close: () => void) => ComponentChildren;
}

const openedDialog = signal<OpenDialog | null>(null);
let dialogs = 0;

/**
 * Shows a dialog until it calls `close` or the user leaves the screen. It stays when the row or the button that opened
 * it disappears, and keeps the record as it was when it was opened.
 */
export function openDialog(render: (close: () => void) => ComponentChildren): void {
  dialogs += 1;
  openedDialog.value = { number: dialogs, render };
}

/** Shows the dialog of `openDialog`. */
export function DialogHost() {
  const { path } = place.value;
  useEffect(() => {
    openedDialog.value = null;
  }, [path]);
  const now = openedDialog.value;
  if (now === null) return null;
  const close = () => {
    if (openedDialog.peek() === now) openedDialog.value = null;
  };
  return <Fragment key={now.number}>{now.render(close)}</Fragment>;
}

/** A confirmation before an action. */
interface ConfirmRequest {
  readonly title: string;
  /** What will happen. */
  readonly text: ComponentChildren;
  /** The text of the confirming button, such as "Cancel order"; never "OK". */
  readonly act: string;
  readonly stay?: string | undefined;
  readonly danger?: boolean | undefined;
  /** Runs the action while the dialog is open. The dialog shows an error if it is refused. */
  readonly run?: () => Promise<unknown>;
}

interface OpenConfirm extends ConfirmRequest {
  readonly answer: (done: boolean) => void;
}

const openConfirm = signal<OpenConfirm | null>(null);

/** Asks for confirmation and then runs the action. Returns whether it was done. */
export function confirm(question: ConfirmRequest): Promise<boolean> {
  openConfirm.peek()?.answer(false);
  return new Promise((resolve) => {
    openConfirm.value = { ...question, answer: resolve };
  });
}

/** Shows the question of `confirm`. */
export function ConfirmHost() {
  const now = openConfirm.value;
  return now === null ? null : <Open key={now.title} {...now} />;
}

function Open({ title, text, act, stay = words.cancel, danger = false, run, answer }: OpenConfirm) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const end = (done: boolean) => {
    openConfirm.value = null;
    answer(done);
  };
  const go = async () => {
    setBusy(true);
    try {
      await run?.();
      end(true);
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={() => openConfirm.peek() !== null && end(false)} mayClose={() => !busy}>
      <div class="prose">{typeof text === "string" ? <p>{text}</p> : text}</div>
      {problem && <Notice problem={problem} />}
      <footer class="dialog-acts">
        <Button title={stay} onClick={() => end(false)} disabled={busy} />
        <Button title={act} kind={danger ? "danger" : "primary"} busy={busy} onClick={go} />
      </footer>
    </Dialog>
  );
}
