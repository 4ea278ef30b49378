import { chosenMerchant, type Merchant, merchantOf, several } from "../api/merchants.ts";
import { merchantTexts as texts } from "../texts/merchants.ts";

const hues = 6;

/** The colour of a merchant: its own, or one by its number. */
function colourOf({ id, colour }: Pick<Merchant, "id" | "colour">): string {
  return colour ?? `var(--plot-${(Number(id.replace(/\D/g, "")) % hues) + 1})`;
}

/** The dot in the colour of a merchant. */
export function MerchantDot({ merchant }: { readonly merchant: Pick<Merchant, "id" | "colour"> }) {
  return <i class="merchant-dot" style={{ background: colourOf(merchant) }} aria-hidden="true" />;
}

interface Props {
  /** The id of the merchant; null for what is of the house. */
  readonly of: string | null | undefined;
}

/** Says whose a record is, as long as the tab shows records of several merchants. */
export function MerchantMark({ of }: Props) {
  if (!several.value || chosenMerchant.value !== null || of === undefined) return null;
  if (of === null) return <span class="merchant-mark muted">{texts.house}</span>;
  const merchant = merchantOf(of);
  if (merchant === null) return <span class="merchant-mark">{of}</span>;
  return (
    <span class="merchant-mark" title={merchant.name}>
      <MerchantDot merchant={merchant} />
      {merchant.code}
    </span>
  );
}
