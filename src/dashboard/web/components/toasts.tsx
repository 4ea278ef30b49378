import { signal } from "@preact/signals";
import { problemOf } from "../api/problem.ts";
import { words } from "../text/common.ts";
import { Icon } from "./icon.tsx";

/** A short notice at the edge of the screen. */
interface Toast {
  readonly kind: "done" | "problem" | "info";
  readonly text: string;
  /** An action such as undo. */
  readonly act?: { readonly title: string; readonly run: () => void };
  readonly note?: string | null;
}

interface NumberedToast extends Toast {
  readonly number: number;
}

const shown = signal<readonly NumberedToast[]>([]);
let count = 0;
const shown_ms = { done: 5000, info: 6000, problem: 12_000 };
const shown_with_act_ms = 10_000;

const dismiss = (number: number) => {
  shown.value = shown.value.filter((toast) => toast.number !== number);
};

/** Shows a notice for a few seconds. */
export function toast(message: Toast): void {
  count += 1;
  const number = count;
  shown.value = [...shown.value.slice(-3), { ...message, number }];
  setTimeout(() => dismiss(number), message.act === undefined ? shown_ms[message.kind] : shown_with_act_ms);
}

/** Shows a success message, with an optional undo action. */
export function showSuccess(text: string, act?: Toast["act"]): void {
  toast({ kind: "done", text, ...(act === undefined ? {} : { act }) });
}

/** Shows the API error of a refused action. */
export function showRefused(error: unknown): void {
  const problem = problemOf(error);
  const fields = problem.fields.map(({ field, message }) => `${field} ${message}`).join("; ");
  const note = problem.request_id === null ? null : words.requestId(problem.request_id);
  toast({ kind: "problem", text: fields === "" ? problem.message : `${problem.message} ${fields}`, note });
}

/** Shows the notices. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.value.map(({ number, kind, text, act, note }) => (
        <div key={number} class={`toast ${kind}`} role={kind === "problem" ? "alert" : undefined}>
          <Icon name={kind === "done" ? "done" : kind === "problem" ? "alert" : "info"} size={18} />
          <div class="toast-text">
            {text}
            {note && <small>{note}</small>}
          </div>
          {act && (
            <button
              type="button"
              class="plain"
              onClick={() => {
                dismiss(number);
                act.run();
              }}
            >
              {act.title}
            </button>
          )}
          <button type="button" class="plain icon-only" aria-label={words.dismiss} onClick={() => dismiss(number)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
