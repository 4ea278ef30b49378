import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps {
  readonly title: string;
  readonly kind?: "primary" | "danger" | "plain" | "normal";
  readonly icon?: IconName;
  readonly onClick?: (event: MouseEvent) => void;
  readonly disabled?: boolean;
  readonly busy?: boolean;
  readonly submit?: boolean;
  /** Shows only the icon; screen readers still read the title. */
  readonly iconOnly?: boolean;
  readonly hint?: string;
  readonly children?: ComponentChildren;
}

/** A button. It cannot be pressed while it is busy. */
export function Button({ title, kind = "normal", icon, busy = false, submit, iconOnly, hint, ...rest }: ButtonProps) {
  const { onClick, disabled = false } = rest;
  return (
    <button
      type={submit ? "submit" : "button"}
      class={`button ${kind}${iconOnly ? " icon-only" : ""}`}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      aria-label={iconOnly ? title : undefined}
      title={hint ?? (iconOnly ? title : undefined)}
      onClick={onClick}
    >
      {icon && <Icon name={icon} />}
      {!iconOnly && <span>{title}</span>}
    </button>
  );
}

/** A link to another screen that looks like a button. */
export function LinkButton({
  title,
  href,
  kind = "normal",
  icon,
}: Pick<ButtonProps, "title" | "kind" | "icon"> & { href: string }) {
  return (
    <a class={`button ${kind}`} href={href}>
      {icon && <Icon name={icon} />}
      <span>{title}</span>
    </a>
  );
}
