import { render } from "preact";
import { readSession, session } from "./api/session.ts";
import { startLook } from "./browser/look.ts";
import { startRouter } from "./browser/router.ts";
import { startShortcuts } from "./browser/shortcuts.ts";
import { screens, sections } from "./screens.ts";
import { App, startScreens } from "./shell/app.tsx";
import { findEverywhere } from "./shell/finder.ts";
import { palette } from "./shell/palette.tsx";

startLook();
startRouter();
startScreens({ screens, sections });
startShortcuts();
palette.addFinder(findEverywhere);

async function begin(): Promise<void> {
  try {
    await readSession();
  } catch {
    // The server cannot be reached; the sign-in screen says so.
    session.value = null;
  }
}

void begin();
const place = document.getElementById("app");
if (place !== null) render(<App />, place);
