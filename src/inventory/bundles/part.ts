/** A component of a bundle: how many a set takes, how many are available, and for how many sets these are enough. */
export interface StockedPart {
  readonly product_id: number;
  readonly sku: string;
  readonly quantity: number;
  readonly available: number;
  readonly sets: number;
}
