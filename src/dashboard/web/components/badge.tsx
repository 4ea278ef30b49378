import type { ComponentChildren } from "preact";
import { chosenMerchant, type MerchantRecord, merchantOf, several } from "../api/merchants.ts";
import { merchantTexts as texts } from "../text/merchants.ts";

/** The meaning of a state, which sets its colour. */
export type Tone = "neutral" | "info" | "good" | "warning" | "bad";

// The states of the API and their tones. States that are not listed are neutral.
const tones: Readonly<Record<string, Tone>> = {
  active: "good",
  available: "good",
  closed: "good",
  connected: "good",
  delivered: "good",
  done: "good",
  ok: "good",
  posted: "good",
  received: "good",
  refunded: "good",
  serving: "good",
  shipped: "good",
  succeeded: "good",
  valid: "good",
  verified: "good",
  allocated: "info",
  approved: "info",
  counting: "info",
  in_transit: "info",
  open: "info",
  out_for_delivery: "info",
  packed: "info",
  partially_shipped: "info",
  picking: "info",
  picked: "info",
  processing: "info",
  requested: "info",
  shipping: "info",
  inspected: "info",
  expected: "info",
  attention: "warning",
  backordered: "warning",
  corrected: "warning",
  degraded: "warning",
  expired: "warning",
  low: "warning",
  on_hold: "warning",
  partially_allocated: "warning",
  paused: "warning",

  quarantine: "warning",
  quarantined: "warning",
  retrying: "warning",
  review: "warning",
  stopping: "warning",
  unverified: "warning",
  blocked: "bad",
  disabled: "bad",
  exception: "bad",
  failed: "bad",
  invalid: "bad",
  recalled: "bad",
  rejected: "bad",
  revoked: "bad",
  short: "bad",
  undeliverable: "bad",
};

/** The text of a state: "On hold" for `on_hold`. */
export function stateWords(state: string): string {
  const text = state.replaceAll("_", " ").trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface BadgeProps {
  /** A state of the API. */
  readonly state?: string;
  readonly tone?: Tone;
  readonly children?: ComponentChildren;
}

/** Shows a state as a coloured label. */
export function Badge({ state, tone, children }: BadgeProps) {
  return <span class={`badge ${tone ?? tones[state ?? ""] ?? "neutral"}`}>{children ?? stateWords(state ?? "")}</span>;
}

/** A CSS value for a colour, or for a token such as `--plot-1`. */
export const cssColour = (colour: string): string => (colour.startsWith("--") ? `var(${colour})` : colour);

const hues = 6;

type Coloured = Pick<MerchantRecord, "id" | "colour">;

/** The colour of a merchant: its own, or a token by its number; null for none. */
export function merchantColour(merchant: Coloured | null): string | null {
  if (merchant === null) return null;
  return merchant.colour ?? `--plot-${(Number(merchant.id.replace(/\D/g, "")) % hues) + 1}`;
}

/** The dot in the colour of a merchant. */
export function MerchantDot({ merchant }: { readonly merchant: Coloured }) {
  const colour = cssColour(merchantColour(merchant) ?? "--faint");
  return <i class="merchant-dot" style={{ background: colour }} aria-hidden="true" />;
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
