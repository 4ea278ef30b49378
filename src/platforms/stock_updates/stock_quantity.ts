// The number of units that a shop shows of a product.

/** How much of the available units a shop shows. */
export interface StockRule {
  /** Units held back. */
  readonly buffer: number;
  /** The most units shown; null for no limit. */
  readonly cap: number | null;
  /** The percentage of the remaining units. */
  readonly share_percent: number;
}

/** A rule whose values may be missing. */
type PartialRule = { readonly [Name in keyof StockRule]: StockRule[Name] | null };

/** Returns the rule of a listing: its own values, else those of its connection. */
export function ruleOf(listing: PartialRule, connection: StockRule): StockRule {
  return {
    buffer: listing.buffer ?? connection.buffer,
    cap: listing.cap ?? connection.cap,
    share_percent: listing.share_percent ?? connection.share_percent,
  };
}

/** The units that a shop could sell if nothing was held back. Never below zero. */
export interface SellableUnits {
  /** What a new order could reserve here. */
  readonly available: number;
  /** Units of the shop's orders that are not imported. The shop has subtracted them already. */
  readonly unimported: number;
}

/** Returns the number that the shop should show: never negative, and never more than there is. */
export function shopQuantity({ available, unimported }: SellableUnits, rule: StockRule): number {
  const rest = Math.max(0, available - rule.buffer - unimported);
  // The product is an exact integer, so nothing is lost to rounding.
  const shared = Math.floor((rest * rule.share_percent) / 100);
  return rule.cap === null ? shared : Math.min(rule.cap, shared);
}

/**
 * Whether the buffer prevented an oversell: the shop still shows `shown` units, which is more than it should but no
 * more than there is, and without the buffer it would have shown more than there is.
 */
export function isSavedByBuffer(shown: number, { available, unimported }: SellableUnits, rule: StockRule): boolean {
  const there = available - unimported;
  return shown > shopQuantity({ available, unimported }, rule) && shown <= there && shown + rule.buffer > there;
}
