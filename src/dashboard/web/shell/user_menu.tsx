import { session, signOut } from "../api/session.ts";
import { density, theme } from "../browser/preferences.ts";
import { navigate, to } from "../browser/router.ts";
import { Menu, type MenuItem } from "../components/menu.tsx";
import { listed } from "../components/screen.ts";
import { showRefused } from "../components/toasts.tsx";
import { words } from "../text/common.ts";
import { shellTexts } from "../text/shell.ts";
import { actFor } from "./banners.tsx";
import { help } from "./shortcut_help.tsx";

const themes = ["system", "light", "dark"] as const;
const densities = ["compact", "comfortable"] as const;

async function leave(): Promise<void> {
  try {
    await signOut();
    navigate(to("/sign-in"), { force: true });
  } catch (error) {
    showRefused(error);
  }
}

/** The memberships of a user with several, with the current one checked. */
function memberships(): readonly MenuItem[] {
  const { memberships: all = [], merchant = null, view_as = null } = session.value ?? {};
  const open = all.filter(({ status }) => status === "active");
  if (open.length < 2 || view_as !== null) return [];
  return [
    { heading: shellTexts.signedInAs },
    ...open.map((one) => ({
      title: one.merchant?.name ?? shellTexts.operator,
      icon: one.merchant === null ? ("home" as const) : ("tag" as const),
      checked: (one.merchant?.id ?? null) === (merchant?.id ?? null),
      run: () => void actFor(one.merchant?.code ?? null),
    })),
  ];
}

/** The menu of the signed-in user: account, theme and row height. */
export function UserMenu() {
  const user = session.value?.user;
  if (!user) return null;
  const profile = listed.screens.find(({ path }) => path === "/settings/profile");
  return (
    <div class="user">
      <Menu
        label={
          <>
            <span class="avatar" aria-hidden="true">
              {user.name.slice(0, 1).toUpperCase()}
            </span>
            <span class="unseen">{shellTexts.account}</span>
            <span class="user-name">
              <strong>{user.name}</strong>
              <small>{user.role}</small>
            </span>
          </>
        }
        name={shellTexts.account}
        says_itself
        items={[
          ...(profile ? [{ title: profile.title, icon: "user" as const, run: () => navigate(to(profile.path)) }] : []),
          ...memberships(),
          { title: shellTexts.shortcuts, icon: "help", run: () => help.open() },
          { heading: shellTexts.theme },
          ...themes.map((value) => ({
            title: shellTexts.themes[value],
            icon: ({ system: "system", light: "light", dark: "dark" } as const)[value],
            checked: theme.state.value === value,
            run: () => theme.set(value),
          })),
          { heading: shellTexts.density },
          ...densities.map((value) => ({
            title: shellTexts.densities[value],
            icon: "list" as const,
            checked: density.state.value === value,
            run: () => density.set(value),
          })),
          { heading: user.email },
          { title: words.signOut, icon: "signOut", run: leave },
        ]}
      />
    </div>
  );
}
