import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

/** A key, or two keys in a row (`g o`), and what they do. The browser handles those without `run`, such as Enter. */
export interface Shortcut {
  readonly keys: string;
  readonly title: string;
  readonly run?: () => void;
  /** Whether it applies to what has the focus. Otherwise, the browser handles the key. */
  readonly when?: (focused: Element | null) => boolean;
  /** Available on every screen. The others belong to the screen that is shown. */
  readonly everywhere?: true;
  /** Available in dialogs too. */
  readonly in_dialogs?: true;
}

/** The active shortcuts. */
export const shortcuts = signal<readonly Shortcut[]>([]);

/** Makes shortcuts active while the component is shown, from its first frame. */
export function useShortcuts(added: readonly Shortcut[]): void {
  const names = added.map(({ keys, title }) => `${keys} ${title}`).join();
  useLayoutEffect(() => {
    const own = added.map((shortcut) => ({ ...shortcut }));
    shortcuts.value = [...shortcuts.peek(), ...own];
    return () => {
      shortcuts.value = shortcuts.peek().filter((shortcut) => !own.includes(shortcut));
    };
    // Shortcuts with the same keys and title do the same, so comparing these detects changes.
  }, [names]);
}

/** Whether the focused element uses letters itself: a field or a menu. Checkboxes and radio buttons do not. */
function takesKeys(target: EventTarget | null): boolean {
  const own = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [role=menu]";
  return target instanceof Element && target.closest(own) !== null;
}

const between_ms = 1200;

/** Listens to the keyboard, except in fields and menus, in most dialogs, and with Ctrl or Alt. */
export function startShortcuts(): void {
  let first = "";
  let at = 0;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (takesKeys(event.target)) return;
    const in_dialog = document.querySelector("dialog[open]") !== null;
    const now = performance.now();
    const key = event.key === " " ? "Space" : event.key;
    const both = first !== "" && now - at < between_ms ? `${first} ${key}` : key;
    const active = ({ run, in_dialogs, when }: Shortcut) =>
      run && (in_dialogs || !in_dialog) && when?.(document.activeElement) !== false;
    const of = (wanted: string) => shortcuts.value.findLast((one) => one.keys === wanted && active(one));
    const found = of(both) ?? of(key);
    first = key;
    at = now;
    if (found?.run === undefined) return;
    first = "";
    event.preventDefault();
    found.run();
  });
}
