import type { ComponentChildren } from "preact";
import { chosenMerchant, type MerchantRecord, merchantOf, several } from "../api/merchants.ts";
import { merchantTexts as texts } from "../text/merchants.ts";
import { type Stated, type StateOf, type States, states, stateWords, type Tone, tones } from "../text/states.ts";
import type { Option } from "./fields.tsx";

interface BadgeProps<Kind extends Stated> {
  /** The kind of record, if its states have texts and tones of their own. */
  readonly of?: Kind;
  /** A state of the API. */
  readonly state?: [Kind] extends [never] ? string : StateOf<Kind>;
  readonly tone?: Tone | undefined;
  readonly children?: ComponentChildren;
}

/** Shows a state as a colored label. */
export function Badge<Kind extends Stated = never>({ of, state, tone, children }: BadgeProps<Kind>) {
  const word: string = state ?? "";
  const [text, own] = (of && (states[of] as States)[word]) ?? [stateWords(word), tones[word]];
  return <span class={`badge ${tone ?? own ?? "neutral"}`}>{children ?? text}</span>;
}

/** The states of a kind of record as options of a filter. */
export const stateOptions = (of: Stated): readonly Option[] =>
  Object.entries(states[of]).map(([value, [title]]) => ({ value, title }));

/** Values of the API as options, in words. */
export const wordOptions = (all: readonly string[]): readonly Option[] =>
  all.map((value) => ({ value, title: stateWords(value) }));

/** A CSS value for a color, or for a token such as `--plot-1`. */
export const cssColor = (color: string): string => (color.startsWith("--") ? `var(${color})` : color);

const hues = 6;

type Colored = Pick<MerchantRecord, "id" | "color">;

/** The color of a merchant: its own, or a token by its number; null for none. */
export function merchantColor(merchant: Colored | null): string | null {
  if (merchant === null) return null;
  return merchant.color ?? `--plot-${(Number(merchant.id.replace(/\D/g, "")) % hues) + 1}`;
}

/** The dot in the color of a merchant. */
export function MerchantDot({ merchant }: { readonly merchant: Colored }) {
  const color = cssColor(merchantColor(merchant) ?? "--faint");
  return <i class="merchant-dot" style={{ background: color }} aria-hidden="true" />;
}

interface MerchantMarkProps {
  /** The id of the merchant; null for the operator's own records. */
  readonly of: string | null | undefined;
}

/** Shows a record's merchant while the tab shows records of several merchants. */
export function MerchantMark({ of }: MerchantMarkProps) {
  if (!several.value || chosenMerchant.value !== null || of === undefined) return null;
  if (of === null) return <span class="merchant-mark muted">{texts.operator}</span>;
  const merchant = merchantOf(of);
  if (merchant === null) return <span class="merchant-mark">{of}</span>;
  return (
    <span class="merchant-mark" title={merchant.name}>
      <MerchantDot merchant={merchant} />
      {merchant.code}
    </span>
  );
}
