import { useEffect } from "preact/hooks";
import { navigate, to } from "../../browser/router.ts";
import { listed, maySee } from "../../components/screen.ts";

/** Goes on to the first screen of the settings that the user may see. */
export function SettingsScreen() {
  useEffect(() => {
    const first = listed.screens.find((one) => one.section === "settings" && one.listed === "nav" && maySee(one));
    navigate(to(first?.path ?? "/settings/profile"), { replace: true });
  }, []);
  return null;
}
