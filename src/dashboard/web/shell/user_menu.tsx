import { session, signOut } from "../api/session.ts";
import { density, theme } from "../browser/look.ts";
import { navigate, to } from "../browser/router.ts";
import { Menu, type MenuItem } from "../kit/menu.tsx";
import { shell } from "../texts/shell.ts";
import { help } from "./help.tsx";
import { listed } from "./listed.ts";
import { refused } from "./toasts.tsx";
import { actFor } from "./viewing.tsx";

const themes = ["system", "light", "dark"] as const;
const densities = ["compact", "comfortable"] as const;

async function leave(): Promise<void> {
  try {
    await signOut();
    navigate(to("/sign-in"), { force: true });
  } catch (error) {
    refused(error);
  }
}

/** The memberships of who has several, of which one is acted for. */
function memberships(): readonly MenuItem[] {
  const { memberships: all = [], merchant = null, view_as = null } = session.value ?? {};
  const open = all.filter(({ status }) => status === "active");
  if (open.length < 2 || view_as !== null) return [];
  return [
    { heading: shell.signedInAs },
    ...open.map((one) => ({
      title: one.merchant?.name ?? shell.theHouse,
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
            <span class="unseen">{shell.account}</span>
            <span class="user-name">
              <strong>{user.name}</strong>
              <small>{user.role}</small>
            </span>
          </>
        }
        name={shell.account}
        says_itself
        items={[
          ...(profile ? [{ title: profile.title, icon: "user" as const, run: () => navigate(to(profile.path)) }] : []),
          ...memberships(),
          { title: shell.shortcuts, icon: "help", run: () => help.open() },
          { heading: shell.theme },
          ...themes.map((value) => ({
            title: shell.themes[value],
            icon: ({ system: "system", light: "light", dark: "dark" } as const)[value],
            checked: theme.state.value === value,
            run: () => theme.set(value),
          })),
          { heading: shell.density },
          ...densities.map((value) => ({
            title: shell.densities[value],
            icon: "list" as const,
            checked: density.state.value === value,
            run: () => density.set(value),
          })),
          { heading: user.email },
          { title: shell.signOut, icon: "signOut", run: leave },
        ]}
      />
    </div>
  );
}
