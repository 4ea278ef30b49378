import { effect, signal } from "@preact/signals";
import { Component, type ComponentChildren, type ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { offline, signedOut } from "../api/client.ts";
import { connected, listen } from "../api/live.ts";
import { chosenMerchant } from "../api/merchants.ts";
import { refresh } from "../api/query.ts";
import { ownMerchant, readSession, session } from "../api/session.ts";
import { base, matchPath, navigate, place, tabEnvironment, to } from "../browser/router.ts";
import { useShortcuts } from "../browser/shortcuts.ts";
import { Button } from "../components/button.tsx";
import { ConfirmHost, DialogHost } from "../components/dialog.tsx";
import { Icon } from "../components/icon.tsx";
import { EmptyState } from "../components/notice.tsx";
import { Page } from "../components/page.tsx";
import {
  backFrom,
  type Listed,
  list,
  listed,
  loadScreen,
  maySee,
  type Screen,
  type ScreenProps,
} from "../components/screen.ts";
import { Toasts } from "../components/toasts.tsx";
import { shellTexts } from "../text/shell.ts";
import { RestoredBanner, ViewBanner } from "./banners.tsx";
import { BottomBar, Sidebar } from "./navigation.tsx";
import { Palette, palette } from "./palette.tsx";
import { Help, help } from "./shortcut_help.tsx";
import { MerchantBar, TestBanner } from "./switches.tsx";

interface BoundaryProps {
  readonly children: ComponentChildren;
  /** The screen. Another value clears the error. */
  readonly of: string;
}

/** Keeps the navigation when a screen throws. */
class Boundary extends Component<BoundaryProps, { readonly error: unknown }> {
  override state = { error: null };

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate(before: BoundaryProps) {
    if (before.of !== this.props.of && this.state.error !== null) this.setState({ error: null });
  }

  override render() {
    const { error } = this.state as { error: unknown };
    if (error === null) return this.props.children;
    // A screen's file is missing if a new version was installed after this page was loaded.
    const stale = String(error).includes("dynamically imported module");
    return (
      <Page title={shellTexts.broken}>
        <EmptyState
          icon="warning"
          title={stale ? shellTexts.outOfDate : shellTexts.brokenText}
          text={stale ? "" : String(error)}
          act={<Button kind="primary" onClick={() => location.reload()} title={shellTexts.reload} />}
        />
      </Page>
    );
  }
}

interface Loaded {
  readonly screen: Screen;
  readonly Shown: ComponentType<ScreenProps>;
}

interface MatchedScreen {
  readonly screen: Screen;
  readonly params: Readonly<Record<string, string>>;
}

const loaded = signal<Loaded | null>(null);
const failure = signal<{ readonly screen: Screen; readonly error: unknown } | null>(null);
/** Whether the current screen's file could not be loaded, because the server was unreachable. */
const missing = signal(false);

function screenAt(path: string): MatchedScreen | null {
  for (const screen of listed.screens) {
    const params = matchPath(screen.path, path);
    if (params !== null) return { screen, params };
  }
  return null;
}

function load(screen: Screen): void {
  missing.value = false;
  if (loaded.peek()?.screen === screen) return;
  const isNamed = () => screenAt(place.peek().path)?.screen === screen;
  loadScreen(screen).then(
    (Shown) => {
      if (isNamed()) loaded.value = { screen, Shown };
    },
    (error) =>
      // The file of the screen is missing: the server is down, or a newer version is installed.
      readSession().then(
        () => {
          failure.value = { screen, error };
        },
        () => {
          offline.value = true;
          missing.value = isNamed();
        },
      ),
  );
}

/**
 * The start page of users who do not see Today: the first screen that they may see by a permission, since those for
 * everyone show little.
 */
const firstScreen = () => listed.screens.find((one) => one.listed === "nav" && one.permission !== null && maySee(one));

/** Sets the available screens and loads the one in the address, now and after each change. */
export function startScreens(all: Listed): void {
  list(all);
  effect(() => {
    const found = screenAt(place.value.path);
    if (found !== null) load(found.screen);
  });
}

/** Redirects users who must sign in or set up a second factor, then sends them back. */
function useSignIn(found: MatchedScreen | null): void {
  const out = session.value === null || signedOut.value;
  const lacks_factor = session.value?.user.second_factor_required ?? false;
  useEffect(() => {
    // The user may have been sent there since this was rendered.
    if ((out || lacks_factor) && !screenAt(place.peek().path)?.screen.open) {
      const back = location.pathname + location.search;
      const enter = found?.screen.full_screen ? "/floor/sign-in" : "/sign-in";
      const path = out ? enter : "/second-factor";
      navigate(to(path, { back: back === base ? null : back }), { replace: true, force: true });
    }
  }, [out, lacks_factor, found?.screen]);
}

function Shown({ found }: { readonly found: MatchedScreen | null }) {
  if (found === null) return <NotFound />;
  const { screen, params } = found;
  if (!screen.open && !maySee(screen)) return <NotPermitted screen={screen} />;
  if (failure.value?.screen === screen) throw failure.value.error;
  const now = loaded.value;
  if (now === null) return null;
  // The previous screen stays until the next one's file is loaded.
  if (now.screen !== screen) return null;
  const scope = [tabEnvironment.value, chosenMerchant.value?.code, ownMerchant.value?.code].join(" ");
  const props = { params, title: screen.title, back: backFrom(place.value.path) };
  return <now.Shown key={`${scope} ${JSON.stringify(params)}`} {...props} />;
}

function NotFound() {
  return (
    <Page title={shellTexts.notFound}>
      <EmptyState
        icon="help"
        title={shellTexts.notFoundText}
        act={
          <a class="button" href={to("/")}>
            {shellTexts.toStart}
          </a>
        }
      />
    </Page>
  );
}

function NotPermitted({ screen: { path, operator_only } }: { readonly screen: Screen }) {
  const first = path === "/" ? firstScreen() : undefined;
  useEffect(() => {
    if (first) navigate(to(first.path), { replace: true });
  }, [first]);
  if (first) return null;
  const { view_as = null } = session.value ?? {};
  const lacking = view_as ? shellTexts.notViewed(view_as.name) : shellTexts.notPermittedText;
  return (
    <Page title={shellTexts.notPermitted}>
      <EmptyState icon="shield" title={operator_only && ownMerchant.value ? shellTexts.operatorOnly : lacking} />
    </Page>
  );
}

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  if (field === null) palette.open();
  else {
    field.focus();
    field.select();
  }
}

function useKeys(): void {
  useShortcuts([
    { keys: "/", title: shellTexts.focusSearch, run: focusSearch, everywhere: true },
    { keys: "?", title: shellTexts.helpKeys, run: () => help.open(), everywhere: true, in_dialogs: true },
    ...listed.screens
      .filter((screen) => screen.key !== undefined && maySee(screen))
      .map(({ key, title, path }) => ({
        keys: `g ${key}`,
        title,
        run: () => navigate(to(path)),
        everywhere: true as const,
      })),
  ]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (document.querySelector("dialog[open]") === null) palette.open();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

/**
 * Polls the server while it is unreachable. When any request succeeds again, reloads all shown data, and reloads the
 * page if the screen's file is missing.
 */
function useReturn(): void {
  useEffect(() => {
    if (!offline.value && !missing.value) return;
    const look = () =>
      readSession().then(
        () => {
          // Browsers cache failed imports, so only a page reload requests the screen's file again.
          if (missing.peek()) location.reload();
        },
        () => {},
      );
    if (!offline.value) void look();
    const timer = setInterval(look, 3000);
    return () => {
      clearInterval(timer);
      if (!offline.peek() && !missing.peek()) refresh("all");
    };
  }, [offline.value, missing.value]);
}

/** Keeps the shown data up to date, and reports in the page whether it is. */
function useConnection(): void {
  useReturn();
  useEffect(() => listen(), []);
  useEffect(() => {
    document.documentElement.dataset["connected"] = String(connected.value);
  }, [connected.value]);
}

/** A screen that fills the window. No key does anything but what the screen itself does with it. */
function FullScreen({ found }: { readonly found: MatchedScreen }) {
  useConnection();
  return (
    <div class="full-screen">
      <TestBanner />
      {offline.value && <Offline />}
      <main id="content" tabIndex={-1}>
        <Boundary of={place.value.path}>
          <Shown found={found} />
          <DialogHost />
        </Boundary>
      </main>
    </div>
  );
}

function Frame({ found }: { readonly found: MatchedScreen | null }) {
  const current = found?.screen.section ?? null;
  useKeys();
  useConnection();
  return (
    <>
      <a class="skip" href="#content" onClick={skip}>
        {shellTexts.skip}
      </a>
      <TestBanner />
      <ViewBanner />
      <RestoredBanner />
      {offline.value && <Offline />}
      <div class="frame">
        <Sidebar current={current} />
        <main id="content" tabIndex={-1}>
          <MerchantBar />
          <Boundary of={place.value.path}>
            <Shown found={found} />
            <DialogHost />
          </Boundary>
        </main>
        <BottomBar current={current} />
      </div>
      <Palette />
      <Help />
    </>
  );
}

function Offline() {
  return (
    <div class="offline" role="alert">
      <Icon name="warning" />
      {shellTexts.offline}
    </div>
  );
}

function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

/** Whether the session could not be read yet, because the server is unreachable. */
export const unreached = signal(false);

/** The whole dashboard. */
export function App() {
  const found = screenAt(place.value.path);
  useSignIn(found);
  const isIn = session.value !== null && session.value !== undefined && !session.value.user.second_factor_required;
  const inside = isIn && !found?.screen.open;
  return (
    <>
      {unreached.value && <Offline />}
      {inside && (found?.screen.full_screen ? <FullScreen found={found} /> : <Frame found={found} />)}
      {found?.screen.open && (
        <main id="content" class="open-screen" tabIndex={-1}>
          <Boundary of={place.value.path}>
            <Shown found={found} />
          </Boundary>
        </main>
      )}
      <ConfirmHost />
      <Toasts />
    </>
  );
}
