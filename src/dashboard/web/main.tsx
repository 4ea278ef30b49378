import { render } from "preact";
import { readSession, session } from "./api/session.ts";
import { App } from "./shell/app.tsx";
import { findEverywhere } from "./shell/finder.ts";
import { startLook } from "./shell/look.ts";
import { palette } from "./shell/palette.tsx";
import { startRouter } from "./shell/router.ts";
import { startShortcuts } from "./shell/shortcuts.ts";

startLook();
startRouter();
startShortcuts();
palette.addFinder(findEverywhere);

async function begin(): Promise<void> {
  try {
    await readSession();
  } catch {
    // Without a server there is nobody to ask; the sign-in says so.
    session.value = null;
  }
}

void begin();
const place = document.getElementById("app");
if (place !== null) render(<App />, place);
