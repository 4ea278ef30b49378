// Settings that this browser stores for each user, and what a tab keeps. Without storage they last as long as the page.
import { effect, type Signal, signal } from "@preact/signals";

/** Texts by name in a storage of the browser, or in memory where that is refused. */
function textsIn(storage: () => Storage) {
  const memory = new Map<string, string>();
  return {
    get: (name: string): string | null => {
      try {
        return storage().getItem(`packhouse.${name}`);
      } catch {
        return memory.get(name) ?? null;
      }
    },
    set: (name: string, text: string): void => {
      try {
        storage().setItem(`packhouse.${name}`, text);
      } catch {
        memory.set(name, text);
      }
    },
    remove: (name: string): void => {
      memory.delete(name);
      try {
        storage().removeItem(`packhouse.${name}`);
      } catch {
        // A storage that is refused keeps nothing.
      }
    },
    clear: (): void => {
      memory.clear();
      try {
        storage().clear();
      } catch {
        // A storage that is refused keeps nothing.
      }
    },
  };
}

const [inBrowser, inTab] = [textsIn(() => localStorage), textsIn(() => sessionStorage)];

/** The id of the user whose settings are used: the one who signed in last, until they sign out. */
let user = inBrowser.get("user");
/** Each reads a setting of the user again. */
const readers: (() => void)[] = [];

/** Uses the settings of a user. What the tab kept for another user or another merchant is removed. */
export function openSettings(id: string, merchant: string | null): void {
  const owner = `${id} ${merchant ?? ""}`;
  if (inTab.get("user") !== owner) inTab.clear();
  inTab.set("user", owner);
  inBrowser.set("user", id);
  setUser(id);
}

/** Removes what the tab keeps. Nobody's settings are used from then on. */
export function closeSettings(): void {
  inTab.clear();
  inBrowser.remove("user");
  setUser(null);
}

function setUser(id: string | null): void {
  if (id === user) return;
  user = id;
  for (const read of readers) read();
}

/** Returns what `keepInTab` kept under a name; null if nothing. */
export function keptInTab(name: string): unknown {
  return JSON.parse(inTab.get(name) ?? "null");
}

/** Keeps a value until the tab is closed or the user signs out. */
export function keepInTab(name: string, value: unknown): void {
  // The screen that a user signs out from is left afterwards.
  if (inTab.get("user") !== null) inTab.set(name, JSON.stringify(value));
}

const nameOf = (name: string) => (user === null ? name : `${user}.${name}`);

/** The text of the user's setting. The first user takes over settings from before each user had their own. */
function storedText(name: string): string | null {
  const own = inBrowser.get(nameOf(name));
  if (own !== null || user === null) return own;
  const before = inBrowser.get(name);
  if (before === null) return null;
  inBrowser.set(nameOf(name), before);
  inBrowser.remove(name);
  return before;
}

/** A setting of the user, stored in this browser. `isSound` checks a stored value. */
export function storedPreference<Value>(
  name: string,
  first: Value,
  isSound: (value: unknown) => value is Value,
): StoredPreference<Value> {
  const stored = () => soundValue(storedText(name), first, isSound);
  const state = signal(stored());
  readers.push(() => {
    state.value = stored();
  });
  return {
    state,
    set: (value) => {
      state.value = value;
      inBrowser.set(nameOf(name), JSON.stringify(value));
    },
  };
}

/** A setting of this browser that all of its users share. `isSound` checks a stored value. */
export function devicePreference<Value>(
  name: string,
  first: Value,
  isSound: (value: unknown) => value is Value,
): StoredPreference<Value> {
  const state = signal(soundValue(inBrowser.get(name), first, isSound));
  return {
    state,
    set: (value) => {
      state.value = value;
      inBrowser.set(name, JSON.stringify(value));
    },
  };
}

function soundValue<Value>(text: string | null, first: Value, isSound: (value: unknown) => value is Value): Value {
  try {
    const found: unknown = JSON.parse(text ?? "null");
    return isSound(found) ? found : first;
  } catch {
    // The stored text is not JSON.
    return first;
  }
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
