import type { ComponentChildren } from "preact";

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

interface Props {
  /** A state of the API. */
  readonly state?: string;
  readonly tone?: Tone;
  readonly children?: ComponentChildren;
}

/** Shows a state as a coloured label. */
export function Badge({ state, tone, children }: Props) {
  return <span class={`badge ${tone ?? tones[state ?? ""] ?? "neutral"}`}>{children ?? stateWords(state ?? "")}</span>;
}
