import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface Props {
  readonly icon: IconName;
  readonly title: string;
  readonly text?: string;
  /** The one thing to do first. */
  readonly act?: ComponentChildren;
}

/** What stands where there is nothing yet: why, and what to do first. */
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
