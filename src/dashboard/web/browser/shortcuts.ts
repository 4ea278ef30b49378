import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** A key, or two keys in a row (`g o`), and what they do. */
interface Shortcut {
  readonly keys: string;
  readonly title: string;
  readonly run: () => void;
}

/** The active shortcuts. */
export const shortcuts = signal<readonly Shortcut[]>([]);

/** Makes shortcuts active while the component is shown. */
export function useShortcuts(added: readonly Shortcut[]): void {
  const names = added.map(({ keys }) => keys).join();
  useEffect(() => {
    shortcuts.value = [...shortcuts.peek(), ...added];
    return () => {
      shortcuts.value = shortcuts.peek().filter((shortcut) => !added.includes(shortcut));
    };
    // Shortcuts with the same keys do the same, so comparing keys detects changes.
  }, [names]);
}

/** Whether the user is typing text. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
}

const between_ms = 1200;

/** Listens to the keyboard, except in fields, in dialogs, and with Ctrl or Alt. */
export function startShortcuts(): void {
  let first = "";
  let at = 0;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target) || document.querySelector("dialog[open]") !== null) return;
    const now = performance.now();
    const both = first !== "" && now - at < between_ms ? `${first} ${event.key}` : event.key;
    const found = shortcuts.value.findLast(({ keys }) => keys === both || keys === event.key);
    first = event.key;
    at = now;
    if (found === undefined) return;
    first = "";
    event.preventDefault();
    found.run();
  });
}
