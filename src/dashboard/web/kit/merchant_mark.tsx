import { chosenMerchant, type Merchant, merchantOf, several } from "../api/merchants.ts";
import { merchantTexts as texts } from "../texts/merchants.ts";
import { cssColour } from "./colour.ts";

const hues = 6;

type Coloured = Pick<Merchant, "id" | "colour">;

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
