import { useEffect } from "preact/hooks";
import { navigate, to } from "../../browser/router.ts";
import { listed, maySee } from "../../components/screen.ts";

/** Redirects to the first settings screen that the user may see. Stands alone so that it loads lazily. */
export function SettingsScreen() {
  useEffect(() => {
    const first = listed.screens.find((one) => one.section === "settings" && one.listed === "nav" && maySee(one));
    navigate(to(first?.path ?? "/settings/profile"), { replace: true });
  }, []);
  return null;
}
