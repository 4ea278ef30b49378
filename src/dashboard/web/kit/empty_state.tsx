import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface Props {
  readonly icon: IconName;
  readonly title: string;
  readonly text?: string;
  /** The first thing to do. */
  readonly act?: ComponentChildren;
}

/** Shown in place of an empty list: why it is empty and what to do first. */
export function EmptyState({ icon, title, text, act }: Props) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={24} />
      </span>
      <h2>{title}</h2>
      {text && <p>{text}</p>}
      {act}
    </div>
  );
}
