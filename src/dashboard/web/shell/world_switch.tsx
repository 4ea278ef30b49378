import { chosenWorld } from "../api/opening_world.ts";
import { session } from "../api/session.ts";
import { base, navigate } from "../browser/router.ts";
import { world } from "../browser/world.ts";
import { Icon } from "../kit/icon.tsx";
import { shell } from "../texts/shell.ts";

/** Opens the list of this screen in the other world, because a resource is in one world only, and remembers it. */
function switchWorld(): void {
  chosenWorld.set(world.value === "live" ? "test" : "live");
  const [section = ""] = location.pathname.slice(base.length + 1).split("/");
  const url = new URL(section === "" ? base : `${base}/${section}`, location.origin);
  if (world.value === "live") url.searchParams.set("world", "test");
  navigate(url.href);
}

/** The banner of the test world, on every screen of it. */
export function TestBanner() {
  if (world.value !== "test") return null;
  return (
    <div class="test-banner" role="region" aria-label={shell.world}>
      <Icon name="flask" />
      <span>{shell.testBanner}</span>
      <button type="button" class="plain" onClick={switchWorld}>
        {shell.toLive}
      </button>
    </div>
  );
}

/** The switch between live and test data. */
export function WorldSwitch() {
  if ((session.value?.worlds.length ?? 0) < 2) return null;
  const other = world.value === "live" ? shell.toTest : shell.toLive;
  return (
    <button type="button" class={`world ${world.value}`} title={other} onClick={switchWorld}>
      <span class="dot" aria-hidden="true" />
      <span>{world.value === "live" ? shell.live : shell.test}</span>
      <span class="unseen">. {other}</span>
    </button>
  );
}
