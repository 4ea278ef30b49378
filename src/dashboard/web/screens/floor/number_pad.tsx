import { useState } from "preact/hooks";
import { Icon } from "../../components/icon.tsx";
import { words } from "../../text/common.ts";
import { floorTexts as texts } from "../../text/floor.ts";

interface NumberPadProps {
  readonly label: string;
  /** The number that is shown at first. The first digit replaces it. */
  readonly first?: number;
  readonly decimals?: boolean;
  readonly onDone: (value: number) => void;
  readonly onCancel: () => void;
}

const digits_max = 7;

/** Keys for a number, large enough for gloves. No keyboard covers the screen, and scans are still read. */
export function NumberPad({ label, first, decimals = false, onDone, onCancel }: NumberPadProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? String(first ?? "");
  const value = Number(shown);
  const press = (key: string) => {
    const next = (typed ?? "") + key;
    if (next.length <= digits_max && /^\d*\.?\d*$/.test(next)) setTyped(next);
  };
  const keys = ["1", "2", "3", "4", "5", "6", "7", "8", "9", decimals ? "." : "", "0"];
  return (
    <section class="floor-pad" aria-label={label}>
      <div class="floor-pad-head">
        <span>{label}</span>
        <output class="floor-number">{shown === "" ? "0" : shown}</output>
      </div>
      <div class="floor-pad-keys">
        {keys.map((key, at) =>
          key === "" ? (
            <span key={at} />
          ) : (
            <button key={key} type="button" onClick={() => press(key)}>
              {key}
            </button>
          ),
        )}
        <button type="button" aria-label={texts.deleteDigit} onClick={() => setTyped(shown.slice(0, -1))}>
          <Icon name="left" size={32} />
        </button>
      </div>
      <div class="floor-act">
        <button type="button" class="floor-button normal" onClick={onCancel}>
          {words.cancel}
        </button>
        <button type="button" class="floor-button primary" disabled={!(value > 0)} onClick={() => onDone(value)}>
          {texts.ok}
        </button>
      </div>
    </section>
  );
}
