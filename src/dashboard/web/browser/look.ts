import { effect } from "@preact/signals";
import { isFlag, kept, oneOf } from "./storage.ts";

/** The theme: that of the device unless the user chose one. */
export const theme = kept<"system" | "light" | "dark">("theme", "system", oneOf("system", "light", "dark"));

/** How tall rows are. */
export const density = kept<"compact" | "comfortable">("density", "compact", oneOf("compact", "comfortable"));

/** Whether the navigation is folded to its icons. */
export const folded = kept("folded", false, isFlag);

/** Applies these settings to the page. */
export function startLook(): void {
  effect(() => {
    const { dataset } = document.documentElement;
    dataset["theme"] = theme.state.value;
    dataset["density"] = density.state.value;
    dataset["folded"] = String(folded.state.value);
  });
}
