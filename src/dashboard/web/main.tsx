import { render } from "preact";
import { readSession } from "./api/session.ts";
import { applyAppearance } from "./browser/preferences.ts";
import { startRouter } from "./browser/router.ts";
import { startShortcuts } from "./browser/shortcuts.ts";
import { screens, sections } from "./screens/screens.ts";
import { App, startScreens, unreached } from "./shell/app.tsx";
import { findEverywhere, palette } from "./shell/palette.tsx";

applyAppearance();
startRouter();
startScreens({ screens, sections });
startShortcuts();
palette.addFinder(findEverywhere);

const again_ms = 2000;

/** Reads the session, and retries until the server can be reached. */
async function begin(): Promise<void> {
  try {
    await readSession();
    unreached.value = false;
  } catch {
    unreached.value = true;
    setTimeout(begin, again_ms);
  }
}

void begin();
const place = document.getElementById("app");
if (place !== null) render(<App />, place);
