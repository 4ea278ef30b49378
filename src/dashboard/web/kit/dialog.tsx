import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { words } from "../texts/common.ts";
import { Button } from "./button.tsx";

interface Props {
  readonly title: string;
  /** Called when the dialog has closed, in any way. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
  /** Called before Esc or a click outside closes the dialog; false keeps it open. */
  readonly mayClose?: () => boolean;
}

/** A dialog. It takes the focus, keeps it, and gives it back when it closes. */
export function Dialog({ title, onClose, children, wide = false, mayClose = () => true }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
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
