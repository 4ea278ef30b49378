// Settings stored in this browser. Without storage they last until the tab is closed.
import { effect, type Signal, signal } from "@preact/signals";

const memory = new Map<string, string>();

function read(name: string): string | null {
  try {
    return localStorage.getItem(`packhouse.${name}`);
  } catch {
    return memory.get(name) ?? null;
  }
}

function write(name: string, text: string): void {
  try {
    localStorage.setItem(`packhouse.${name}`, text);
  } catch {
    memory.set(name, text);
  }
}

/** Returns what `keepInTab` kept under a name; null if nothing. */
export function keptInTab(name: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(`packhouse.${name}`) ?? "null");
  } catch {
    return JSON.parse(memory.get(`tab ${name}`) ?? "null");
  }
}

/** Keeps a value until the tab is closed. */
export function keepInTab(name: string, value: unknown): void {
  const text = JSON.stringify(value);
  try {
    sessionStorage.setItem(`packhouse.${name}`, text);
  } catch {
    memory.set(`tab ${name}`, text);
  }
}

/** A setting stored in this browser. `isSound` checks a stored value. */
export function storedPreference<Value>(
  name: string,
  first: Value,
  isSound: (value: unknown) => value is Value,
): StoredPreference<Value> {
  let start = first;
  try {
    const found: unknown = JSON.parse(read(name) ?? "null");
    if (isSound(found)) start = found;
  } catch {
    // The stored text is not JSON.
  }
  const state = signal(start);
  return {
    state,
    set: (value) => {
      state.value = value;
      write(name, JSON.stringify(value));
    },
  };
}

/** A setting and a function that changes it. */
export interface StoredPreference<Value> {
  readonly state: Signal<Value>;
  readonly set: (value: Value) => void;
}

/** Whether a value is one of these words. */
function oneOf<Word extends string>(...all: readonly Word[]) {
  return (value: unknown): value is Word => all.some((word) => word === value);
}

/** Whether a value is a list of texts. */
export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Whether a value is true or false. */
export function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

/** The theme: that of the device unless the user chose one. */
export const theme = storedPreference<"system" | "light" | "dark">("theme", "system", oneOf("system", "light", "dark"));

/** The row height. */
export const density = storedPreference<"compact" | "comfortable">(
  "density",
  "compact",
  oneOf("compact", "comfortable"),
);

/** Whether the sidebar is collapsed to icons. */
export const folded = storedPreference("folded", false, isFlag);

/** Applies these settings to the page. */
export function applyAppearance(): void {
  effect(() => {
    const { dataset } = document.documentElement;
    dataset["theme"] = theme.state.value;
    dataset["density"] = density.state.value;
    dataset["folded"] = String(folded.state.value);
  });
}
