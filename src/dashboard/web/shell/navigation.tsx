import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { ownMerchant } from "../api/session.ts";
import { folded } from "../browser/preferences.ts";
import { place, to } from "../browser/router.ts";
import { MerchantDot } from "../components/badge.tsx";
import { Icon } from "../components/icon.tsx";
import { groupAt, groupsOf, listed, maySee, type Screen, type Section } from "../components/screen.ts";
import { words } from "../text/common.ts";
import { shellTexts } from "../text/shell.ts";
import { palette } from "./palette.tsx";
import { EnvironmentSwitch, MerchantSwitch } from "./switches.tsx";
import { UserMenu } from "./user_menu.tsx";

/** The screens of a section that the signed-in user may open. */
const chosenFrom = ({ id }: Section): readonly Screen[] =>
  listed.screens.filter((one) => one.section === id && one.listed === "nav" && maySee(one));

/** A link below a section: a screen, or a group of screens. */
interface SectionItem {
  readonly path: string;
  readonly title: string;
}

const itemsOf = (section: Section): readonly SectionItem[] =>
  section.groups === undefined ? chosenFrom(section) : groupsOf(section);

const isHere = (path: string) => place.value.path === path;
/** What `aria-current` is for an item: the page itself, or the group that has the screen. */
const currentOf = (path: string) =>
  isHere(path) ? "page" : groupAt(place.value.path)?.path === path ? "true" : undefined;
const isWithin = (items: readonly SectionItem[], section: string, current: string | null) =>
  section === current || items.some(({ path }) => isHere(path));

function Entry({ section, current }: { readonly section: Section; readonly current: string | null }) {
  const items = itemsOf(section);
  const [first] = chosenFrom(section);
  if (first === undefined) return null;
  const active = isWithin(items, section.id, current);
  return (
    <li>
      <a
        class="nav-link"
        href={to(first.path)}
        title={section.title}
        aria-current={
          active ? (isHere(first.path) && (items.length === 1 || section.groups) ? "page" : "true") : undefined
        }
      >
        <Icon name={section.icon} size={18} />
        <span>{section.title}</span>
      </a>
      {active && items.length > 1 && (
        <ul class="nav-items">
          {items.map(({ path, title }) => (
            <li key={path}>
              <a href={to(path)} aria-current={currentOf(path)}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** The navigation at the left of a desktop. */
export function Sidebar({ current }: { readonly current: string | null }) {
  const own = ownMerchant.value;
  const part = (foot: boolean) => listed.sections.filter((section) => (section.foot ?? false) === foot);
  return (
    <nav class="sidebar" aria-label={shellTexts.navigation}>
      <div class="brand">
        <a href={to("/")} aria-label={own?.name ?? words.product}>
          {own === null ? <Icon name="box" size={20} /> : <MerchantDot merchant={own} />}
          <span>{own?.name ?? words.product}</span>
        </a>
        <EnvironmentSwitch />
      </div>
      <MerchantSwitch />
      <button type="button" class="find" onClick={() => palette.open()} title={shellTexts.openPalette}>
        <Icon name="search" />
        <span>{shellTexts.openPalette}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <ul class="nav-list">
        {part(false).map((section) => (
          <Entry key={section.id} section={section} current={current} />
        ))}
      </ul>
      <ul class="nav-list nav-foot">
        {part(true).map((section) => (
          <Entry key={section.id} section={section} current={current} />
        ))}
        <li>
          <button
            type="button"
            class="nav-link fold"
            title={folded.state.value ? shellTexts.unfold : shellTexts.fold}
            onClick={() => folded.set(!folded.state.value)}
          >
            <Icon name={folded.state.value ? "expand" : "collapse"} size={18} />
            <span>{folded.state.value ? shellTexts.unfold : shellTexts.fold}</span>
          </button>
        </li>
      </ul>
      <UserMenu />
    </nav>
  );
}

const more_open = signal(false);

/** The navigation at the bottom of a phone. */
export function BottomBar({ current }: { readonly current: string | null }) {
  const shown = listed.sections.filter((section) => chosenFrom(section).length > 0);
  const close = () => {
    more_open.value = false;
  };
  const more = useRef<HTMLButtonElement>(null);
  const closeByKey = () => {
    close();
    more.current?.focus();
  };
  const link = (section: Section) => {
    const [first] = chosenFrom(section);
    return (
      <a href={to(first?.path ?? "/")} aria-current={section.id === current ? "true" : undefined} onClick={close}>
        <Icon name={section.icon} size={20} />
        <span>{section.title}</span>
      </a>
    );
  };
  const others = shown.filter(({ phone }) => !phone);
  return (
    <nav
      class="bottom-bar"
      aria-label={shellTexts.navigation}
      onKeyDown={(event) => event.key === "Escape" && closeByKey()}
    >
      {more_open.value && (
        <div class="more-sheet">
          {others.map((section) => (
            <div key={section.id} class="more-group">
              {link(section)}
              {section.id === current &&
                itemsOf(section).map(({ path, title }) => (
                  <a key={path} class="more-item" href={to(path)} onClick={close}>
                    {title}
                  </a>
                ))}
            </div>
          ))}
          <div class="more-foot">
            <EnvironmentSwitch />
            <UserMenu />
          </div>
        </div>
      )}
      <div class="bottom-links">
        {shown.filter(({ phone }) => phone).map((section) => ({ ...link(section), key: section.id }))}
        <button
          ref={more}
          type="button"
          aria-expanded={more_open.value}
          onClick={() => (more_open.value = !more_open.value)}
        >
          <Icon name="menu" size={20} />
          <span>{words.more}</span>
        </button>
      </div>
    </nav>
  );
}
