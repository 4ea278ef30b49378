import { signal } from "@preact/signals";
import { type Shortcut, shortcuts } from "../browser/shortcuts.ts";
import { Dialog } from "../components/dialog.tsx";
import { shellTexts } from "../text/shell.ts";

const texts = shellTexts.keys;

/** Where the help was opened: on a screen or in a dialog; null while it is closed. */
const opened = signal<"screen" | "dialog" | null>(null);

/** The list of shortcuts. */
export const help = {
  open: () => {
    opened.value ??= document.querySelector("dialog[open]") === null ? "screen" : "dialog";
  },
};

type ListedKey = Pick<Shortcut, "keys" | "title">;

/** Each key once. The shortcut that was added last is the one that runs. */
const withoutRepeats = (all: readonly ListedKey[]): readonly ListedKey[] => [
  ...new Map(all.map((one) => [one.keys, one])).values(),
];

const isJump = ({ keys }: ListedKey) => keys.startsWith("g ");

/** The shortcuts that work now: first those of the screen or dialog, then those of every screen. */
export function Help() {
  if (opened.value === null) return null;
  const in_dialog = opened.value === "dialog";
  const active = shortcuts.value.filter((one) => !in_dialog || one.in_dialogs);
  const own = active.filter(({ everywhere }) => !everywhere);
  const all = active.filter(({ everywhere }) => everywhere);
  const close = { keys: "Esc", title: texts.close };
  const palette = { keys: "Ctrl K", title: shellTexts.palette };
  const title = in_dialog ? texts.ofDialog : texts.ofScreen;
  return (
    <Dialog title={shellTexts.shortcuts} wide={!in_dialog} onClose={() => (opened.value = null)}>
      <div class="key-lists">
        <Keys title={title} keys={withoutRepeats(in_dialog ? [...own, close] : own)} />
        <Keys
          title={texts.everywhere}
          keys={in_dialog ? all : [palette, ...all.filter((one) => !isJump(one)), close]}
        />
        <Keys title={texts.goTo} keys={all.filter(isJump)} />
      </div>
    </Dialog>
  );
}

function Keys({ title, keys: all }: { readonly title: string; readonly keys: readonly ListedKey[] }) {
  if (all.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <dl class="keys">
        {[...Map.groupBy(all, (one) => one.title)].map(([what, same]) => (
          <div key={what}>
            <dt>{what}</dt>
            {same.map(({ keys }) => (
              <dd key={keys}>
                {keys.split(" ").map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </section>
  );
}
