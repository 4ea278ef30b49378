import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { words } from "../text/common.ts";
import { Icon, type IconName } from "./icon.tsx";

/** An action in a menu. */
export interface MenuAct {
  readonly title: string;
  readonly icon?: IconName;
  readonly run: () => void;
  /** Whether an action menu has this action. */
  readonly when?: boolean;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** Whether the item is the selected one of a group. */
  readonly checked?: boolean;
  /** Several items may be checked at once; the menu stays open. */
  readonly several?: boolean;
}
/** A line of a menu: an action or a heading. */
export type MenuItem = MenuAct | { readonly heading: string };

interface MenuProps {
  readonly items: readonly MenuItem[];
  /** The content of the button. */
  readonly label: ComponentChildren;
  /** The accessible name of the list, and of a button whose label is an icon. */
  readonly name: string;
  readonly says_itself?: boolean;
  readonly class?: string;
}

/** A button that opens a list of actions. Arrow keys, Home, End, Enter and Esc work in the list. */
export function Menu({ items, label, name, says_itself = false, class: look = "plain" }: MenuProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const close = (back: boolean) => {
    setOpen(false);
    if (back) button.current?.focus();
  };
  // Before the first paint, so that the list does not jump.
  useLayoutEffect(() => {
    if (!open) return;
    placeBelow(button.current, list.current);
    list.current?.querySelector<HTMLElement>("button:not(:disabled)")?.focus();
    const outside = (event: Event) => {
      const { target } = event;
      const isInside = target instanceof Node && (list.current?.contains(target) || button.current?.contains(target));
      if (!isInside) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    window.addEventListener("resize", outside);
    return () => {
      document.removeEventListener("pointerdown", outside);
      window.removeEventListener("resize", outside);
    };
  }, [open]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" || event.key === "Tab") close(event.key === "Escape");
    // A menu in a dialog closes alone.
    if (event.key === "Escape") event.stopPropagation();
    if (event.key === "Escape" || moveFocus(event, list.current)) event.preventDefault();
  };
  return (
    <span class="menu-place">
      <button
        ref={button}
        type="button"
        class={`menu-button ${look}`}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={says_itself ? undefined : name}
        title={says_itself ? undefined : name}
        onClick={() => setOpen(!open)}
      >
        {label}
      </button>
      {open && (
        <div ref={list} id={id} role="menu" tabIndex={-1} aria-label={name} class="menu" onKeyDown={onKeyDown}>
          {items.map((item) => (
            <Line key={"heading" in item ? `h ${item.heading}` : item.title} item={item} close={close} />
          ))}
        </div>
      )}
    </span>
  );
}

function Line({ item, close }: { readonly item: MenuItem; readonly close: (back: boolean) => void }) {
  if ("heading" in item) {
    return (
      <div class="menu-heading" role="presentation">
        {item.heading}
      </div>
    );
  }
  const { title, icon, run, danger, disabled, checked, several } = item;
  const role = checked === undefined ? "menuitem" : several ? "menuitemcheckbox" : "menuitemradio";
  return (
    <button
      type="button"
      role={role}
      {...(checked === undefined ? {} : { "aria-checked": checked })}
      tabIndex={-1}
      class={danger ? "danger" : ""}
      disabled={disabled}
      onClick={() => {
        if (!several) close(true);
        run();
      }}
    >
      {icon && <Icon name={icon} />}
      <span>{title}</span>
      {checked && <Icon name="check" />}
    </button>
  );
}

/** Moves the focus in a list by arrow keys. Returns whether it moved. */
function moveFocus(event: KeyboardEvent, list: HTMLElement | null): boolean {
  const all = [...(list?.querySelectorAll<HTMLElement>("button:not(:disabled)") ?? [])];
  const at = all.indexOf(document.activeElement as HTMLElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
  if (next === undefined) return false;
  all[(next + all.length) % all.length]?.focus();
  return true;
}

/** Places the list below the button, or above it if there is no room, and inside the window. */
function placeBelow(button: HTMLElement | null, list: HTMLElement | null): void {
  if (button === null || list === null) return;
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = list;
  const gap = 4;
  // Fixed elements must not overlap the space reserved for the scrollbar.
  const left = Math.min(at.left, document.body.clientWidth - width - 8);
  const below = at.bottom + gap;
  const top = below + height > window.innerHeight - 8 ? Math.max(8, at.top - height - gap) : below;
  list.style.left = `${Math.max(8, left)}px`;
  list.style.top = `${top}px`;
}

/** A menu of actions behind three dots. */
export function ActionMenu({
  items,
  name = words.more,
}: {
  readonly items: readonly MenuItem[];
  readonly name?: string;
}) {
  const shown = items.filter((item) => !("when" in item) || item.when);
  if (shown.length === 0) return null;
  return <Menu items={shown} name={name} label={<Icon name="more" />} class="button icon-only" />;
}
