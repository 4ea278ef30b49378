import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { ownerOf } from "../api/merchants.ts";
import { arrived, navigate, place } from "../browser/router.ts";
import { useShortcuts } from "../browser/shortcuts.ts";
import { words } from "../text/common.ts";
import { MerchantMark } from "./badge.tsx";
import { Icon } from "./icon.tsx";
import { type BackLink, backToGroup } from "./screen.ts";

interface PageProps {
  readonly title: string;
  /** The content next to the title, such as a count or a state. */
  readonly badge?: ComponentChildren;
  /** The record that the page shows, if it belongs to one of several merchants. */
  readonly owned?: object | undefined;
  /** The small text below the title, such as the owner or the date. */
  readonly below?: ComponentChildren;
  /** The buttons at the right, the main one last. */
  readonly acts?: ComponentChildren;
  /** The list that this page belongs to. Without it, a screen in a group has a link to the group. */
  readonly back?: BackLink | undefined;
  readonly children?: ComponentChildren;
  readonly narrow?: boolean;
}

/** Opens the menu of the page's actions, or focuses the first action. */
function openActions(): void {
  const acts = document.querySelector(".page-acts");
  const menu = acts?.querySelector<HTMLElement>(".menu-button");
  if (menu) menu.click();
  else acts?.querySelector<HTMLElement>("button, a")?.focus();
}

/** A screen with title, actions and content. The title takes the focus when a link led here. */
export function Page({ title, badge, owned, below, acts, back, children, narrow = false }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const above = back ?? backToGroup(place.value.path);
  useShortcuts([
    ...(acts ? [{ keys: ".", title: words.actions, run: openActions }] : []),
    ...(above ? [{ keys: "u", title: words.backTo(above.title), run: () => navigate(above.href) }] : []),
  ]);
  useEffect(() => {
    document.title = `${title} · ${words.product}`;
  }, [title]);
  // Before a key can move the focus to the first row.
  useLayoutEffect(() => {
    if (!arrived.by_link || document.querySelector("dialog[open]") !== null) return;
    arrived.by_link = false;
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div class={narrow ? "page narrow" : "page"}>
      {above && (
        <a class="page-back" href={above.href}>
          <Icon name="left" />
          {above.title}
        </a>
      )}
      <header class="page-head">
        <div class="page-title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {badge}
          {owned && <MerchantMark of={ownerOf(owned)} />}
        </div>
        {acts && <div class="page-acts">{acts}</div>}
        {below && <div class="page-below">{below}</div>}
      </header>
      {children}
    </div>
  );
}

/** Two columns, stacked on narrow screens. */
export function Columns({ main, side }: { readonly main: ComponentChildren; readonly side: ComponentChildren }) {
  return (
    <div class="columns">
      <div class="column-main">{main}</div>
      <div class="column-side">{side}</div>
    </div>
  );
}

interface PageCardProps {
  readonly title?: string;
  readonly acts?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Without padding, for tables. */
  readonly flush?: boolean;
}

/** A part of a page with its own title. */
export function Card({ title, acts, children, flush = false }: PageCardProps) {
  return (
    <section class={flush ? "card flush" : "card"}>
      {title && (
        <header class="card-head">
          <h2>{title}</h2>
          {acts && <div class="card-acts">{acts}</div>}
        </header>
      )}
      <div class="card-body">{children}</div>
    </section>
  );
}
