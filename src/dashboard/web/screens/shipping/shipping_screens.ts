import type { Screen } from "../../components/screen.ts";
import { shippingTexts as texts } from "../../text/shipping.ts";

const all = { section: "shipping", permission: "shipping.read" } as const;

/** The screens of shipping. */
export const shippingScreens: readonly Screen[] = [
  {
    ...all,
    path: "/shipping",
    title: texts.labels.title,
    listed: "nav",
    key: "l",
    load: () => import("./label_list.tsx").then((it) => it.LabelsScreen),
  },
  {
    ...all,
    path: "/shipping/labels/:id",
    title: texts.labels.id,
    listed: "no",
    load: () => import("./label_page.tsx").then((it) => it.LabelScreen),
  },
  {
    ...all,
    operator_only: true,
    path: "/shipping/manifests",
    title: texts.manifests.title,
    listed: "nav",
    load: () => import("./manifests.tsx").then((it) => it.ManifestsScreen),
  },
  {
    ...all,
    operator_only: true,
    path: "/shipping/manifests/:id",
    title: texts.manifests.one,
    listed: "no",
    load: () => import("./manifests.tsx").then((it) => it.ManifestScreen),
  },
  {
    ...all,
    path: "/shipping/rates",
    title: texts.rates.title,
    listed: "nav",
    load: () => import("./rates.tsx").then((it) => it.RatesScreen),
  },
  {
    ...all,
    operator_only: true,
    path: "/shipping/rate-cards",
    title: texts.cards.title,
    listed: "nav",
    load: () => import("./rate_card_list.tsx").then((it) => it.CardsScreen),
  },
  {
    ...all,
    operator_only: true,
    path: "/shipping/rate-cards/:id",
    title: texts.cards.one,
    listed: "no",
    load: () => import("./rate_card_page.tsx").then((it) => it.CardScreen),
  },
  {
    ...all,
    operator_only: true,
    path: "/shipping/zones",
    title: texts.zones.title,
    listed: "nav",
    load: () => import("./zones.tsx").then((it) => it.ZonesScreen),
  },
  {
    ...all,
    operator_only: true,
    path: "/shipping/carriers",
    title: texts.accounts.title,
    listed: "nav",
    load: () => import("./carrier_accounts.tsx").then((it) => it.AccountsScreen),
  },
  {
    ...all,
    operator_only: true,
    path: "/shipping/holidays",
    title: texts.holidays.title,
    listed: "nav",
    load: () => import("./holidays.tsx").then((it) => it.HolidaysScreen),
  },
];
