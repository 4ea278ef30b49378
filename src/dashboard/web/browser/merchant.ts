import { signal } from "@preact/signals";

/** The name in the address of the merchant that a tab shows, so that links keep it. */
export const tab_merchant = "merchant";
/** The name in the address of the merchant that one page is about. Links do not keep it. */
export const page_merchant = "of";

function fromAddress(name: string): string | null {
  const found = new URLSearchParams(location.search).get(name);
  return found !== null && /^[A-Z0-9-]{2,12}$/.test(found) ? found : null;
}

/** The code of the merchant that this tab shows; null for all. */
export const merchantOfTab = signal(fromAddress(tab_merchant));

/** The code of the merchant that this page is about, where it shows what several merchants may have, such as a SKU. */
export const merchantOfPage = signal(fromAddress(page_merchant));

/** Reads the merchants again after the address has changed. */
export function readMerchantNames(): void {
  merchantOfTab.value = fromAddress(tab_merchant);
  merchantOfPage.value = fromAddress(page_merchant);
}
