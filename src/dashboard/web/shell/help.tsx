import { signal } from "@preact/signals";
import { shortcuts } from "../browser/shortcuts.ts";
import { Dialog } from "../kit/dialog.tsx";
import { shell } from "../texts/shell.ts";

const shown = signal(false);

/** Opens the list of shortcuts. */
export const help = {
  open: () => {
    shown.value = true;
  },
};

/** Lists all active shortcuts. */
export function Help() {
  if (!shown.value) return null;
  const fixed = [
    { keys: "Ctrl K", title: shell.palette },
    { keys: "j k Enter x", title: shell.listKeys },
    { keys: "Ctrl Enter", title: shell.formKeys },
    { keys: "Esc", title: shell.closeKeys },
  ];
  return (
    <Dialog title={shell.shortcuts} onClose={() => (shown.value = false)}>
      <dl class="keys">
        {[...shortcuts.value, ...fixed].map(({ keys, title }) => (
          <div key={keys}>
            <dt>{title}</dt>
            <dd>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
