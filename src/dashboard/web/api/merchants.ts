// The merchants for whom the house works, and which of them the tab and the page are about.
import { computed, signal } from "@preact/signals";
import type { Static } from "@sinclair/typebox";
import type { MerchantView } from "../../../merchants/merchant.schema.ts";
import { merchantOfPage, merchantOfTab } from "../browser/router.ts";

export type MerchantRecord = Static<typeof MerchantView>;

/** All merchants, closed ones too. Empty for people of a merchant, who know of no other. */
export const merchants = signal<readonly MerchantRecord[]>([]);

/** Whether the house works for several merchants. With one, no screen tells of merchants. */
export const several = computed(() => merchants.value.length > 1);

const named = (code: string | null) =>
  several.value && code !== null ? (merchants.value.find((one) => one.code === code) ?? null) : null;

/** The merchant that this tab shows; null for all. */
export const chosenMerchant = computed(() => named(merchantOfTab.value));

/** The merchant that requests of this page are about; null for all. */
export const merchantAsked = computed(() => chosenMerchant.value ?? named(merchantOfPage.value));

/** Whether records of several merchants may stand side by side, so that each shows whose it is. */
export const showsSeveral = computed(() => several.value && merchantAsked.value === null);

/** The merchants for whom something can be made. */
export const openMerchants = computed(() => merchants.value.filter(({ status }) => status !== "closed"));

/** Whether what is made on this page has to name its merchant. */
export const mustName = computed(() => openMerchants.value.length > 1 && chosenMerchant.value === null);

/** The merchant with this id. */
export const merchantOf = (id: string | null | undefined): MerchantRecord | null =>
  merchants.value.find((one) => one.id === id) ?? null;

/** Whose a record is: the id of its merchant; null for the house; undefined where the record does not say it. */
export const ownerOf = (record: object) => (record as { readonly merchant_id?: string | null }).merchant_id;

/** The code of the merchant of a record, for a request about it that may mean what another one has too. */
export const meant = (record: object): string | undefined =>
  showsSeveral.value ? merchantOf(ownerOf(record))?.code : undefined;

/** The query parameter for a page about something of this merchant that another one may have too, such as a SKU. */
export function ofMerchant(id: string | null | undefined): { readonly of: string | null } {
  return { of: showsSeveral.value ? (merchantOf(id)?.code ?? null) : merchantOfPage.value };
}
