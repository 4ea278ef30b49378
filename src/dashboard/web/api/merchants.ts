// The operator's merchants, and the ones that the tab and the page show.
import { computed, signal } from "@preact/signals";
import type { Static } from "@sinclair/typebox";
import type { MerchantView } from "../../../merchants/merchant.schema.ts";
import { merchantOfPage, merchantOfTab } from "../browser/router.ts";

export type MerchantRecord = Static<typeof MerchantView>;

/** All merchants, including closed ones. Empty for merchant users. */
export const merchants = signal<readonly MerchantRecord[]>([]);

/** Whether there are several merchants. With one, no screen mentions merchants. */
export const several = computed(() => merchants.value.length > 1);

const named = (code: string | null) =>
  several.value && code !== null ? (merchants.value.find((one) => one.code === code) ?? null) : null;

/** The merchant that this tab shows; null for all. */
export const chosenMerchant = computed(() => named(merchantOfTab.value));

/** The merchant of this page's requests; null for all. */
export const merchantAsked = computed(() => chosenMerchant.value ?? named(merchantOfPage.value));

/** Whether lists may mix records of several merchants, so that each record shows its owner. */
export const showsSeveral = computed(() => several.value && merchantAsked.value === null);

/** The merchants for whom records can be created. */
export const openMerchants = computed(() => merchants.value.filter(({ status }) => status !== "closed"));

/** Whether new records on this page must name their merchant. */
export const mustName = computed(() => openMerchants.value.length > 1 && chosenMerchant.value === null);

/** The merchant with this id. */
export const merchantOf = (id: string | null | undefined): MerchantRecord | null =>
  merchants.value.find((one) => one.id === id) ?? null;

/** The id of a record's merchant; null for the operator; undefined if the record has no owner field. */
export const ownerOf = (record: object) => (record as { readonly merchant_id?: string | null }).merchant_id;

/** The code of a record's merchant, for requests by a name that several merchants may use, such as a SKU. */
export const meant = (record: object): string | undefined =>
  showsSeveral.value ? merchantOf(ownerOf(record))?.code : undefined;

/** The query parameter for a page by a name that several merchants may use, such as a SKU. */
export function ofMerchant(id: string | null | undefined): { readonly of: string | null } {
  return { of: showsSeveral.value ? (merchantOf(id)?.code ?? null) : merchantOfPage.value };
}
