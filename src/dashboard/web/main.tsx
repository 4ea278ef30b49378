import { render } from "preact";
import { readSession, session } from "./api/session.ts";
import { App } from "./shell/app.tsx";
import { startLook } from "./shell/look.ts";
import { startRouter } from "./shell/router.ts";
import { startShortcuts } from "./shell/shortcuts.ts";

startLook();
startRouter();
startShortcuts();

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
