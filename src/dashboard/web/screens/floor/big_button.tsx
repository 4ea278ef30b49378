import { to } from "../../browser/router.ts";
import { Icon, type IconName } from "../../components/icon.tsx";
import type { ActQueue, FloorAct } from "./act_queue.ts";

interface BigButtonProps {
  readonly title: string;
  readonly icon?: IconName;
  readonly kind?: "primary" | "normal" | "danger";
  readonly disabled?: boolean;
  readonly queue?: ActQueue;
  /** What a tap does, in its turn after the scans before it. */
  readonly act?: FloorAct;
  readonly onClick?: () => void;
}

/** A button for a thumb in a glove. */
export function BigButton({ title, icon, kind = "normal", disabled = false, queue, act, onClick }: BigButtonProps) {
  return (
    <button
      type="button"
      class={`floor-button ${kind}`}
      disabled={disabled}
      onClick={() => {
        onClick?.();
        if (act) queue?.add(act);
      }}
    >
      {icon && <Icon name={icon} size={28} />}
      <span>{title}</span>
    </button>
  );
}

interface BigLinkProps {
  readonly title: string;
  readonly icon: IconName;
  readonly path: string;
  readonly params?: Parameters<typeof to>[1];
}

/** A link as large as the big buttons. */
export function BigLink({ title, icon, path, params }: BigLinkProps) {
  return (
    <a class="floor-button normal" href={to(path, params)}>
      <Icon name={icon} size={28} />
      <span>{title}</span>
    </a>
  );
}
