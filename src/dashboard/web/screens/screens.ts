import type { Permission } from "../../../http/auth/permissions.ts";
import type { Screen, ScreenGroup, Section } from "../components/screen.ts";
import { batchTexts } from "../text/batch.ts";
import { words } from "../text/common.ts";
import { titles } from "../text/navigation.ts";
import { entries, type SettingsEntry, settingsGroups } from "../text/settings_cards.ts";
import { shippingTexts } from "../text/shipping.ts";

type Access = Permission | null | Pick<Screen, "permission" | "operator_only" | "or_merchant" | "open" | "full_screen">;
type GroupId = Exclude<keyof typeof settingsGroups, "account">;

/**
 * One screen: its path below /dashboard, where it is listed, its title, who may open it, its file and, where the file
 * exports several screens, its name. `nav` lists it in the navigation and the palette, `palette` only in the palette. A
 * letter is the second key of its shortcut: `g o`. The name of a group of the settings gives it a card there, with the
 * texts of its entry, and lists it in the palette.
 */
type Row =
  | readonly [
      path: string,
      listed: "" | "nav" | "palette" | `${"nav" | "palette"} ${string}`,
      title: string,
      access: Access,
      load: Screen["load"],
      name?: Screen["name"],
    ]
  | readonly [
      path: string,
      group: GroupId,
      entry: SettingsEntry,
      access: Access,
      load: Screen["load"],
      name?: Screen["name"],
    ];

/** Only users of the operator with this permission, whatever permissions merchant users have. */
const staff = (permission: Permission) => ({ permission, operator_only: true }) as const;
/** Users of the operator with this permission, and merchant users for their own records. */
const orMerchants = (permission: Permission) => ({ permission, or_merchant: true }) as const;
/** Users of the operator who work on the floor. The screen fills the window. */
const worker = { permission: "floor.work", operator_only: true, full_screen: true } as const;
/** Users who are not signed in. The screen is shown without the navigation. */
const anyone = { permission: null, open: true } as const;

const { labels, manifests, rates, cards } = shippingTexts;

const oneTimeLinks = () => import("./users/one_time_link.tsx");
const floorDevices = () => import("./users/device_list.tsx");
const imports = () => import("./imports/import_start.tsx");
const productForms = () => import("./products/product_edit.tsx");
const customerForms = () => import("./customers/customer_edit.tsx");
const manifestViews = () => import("./shipping/manifests.tsx");
const reportViews = () => import("./reports/reports.tsx");
const warehouses = () => import("./warehouses/warehouse_list.tsx");
const branding = () => import("./settings/merchant_branding.tsx");
const merchants = () => import("./settings/merchant_list.tsx");
const printers = () => import("./settings/printers.tsx");
const rateCards = () => import("./shipping/rate_card_list.tsx");
const merchant = () => import("./settings/merchant_edit.tsx");
const requests = () => import("./developer/requests.tsx");
const events = () => import("./developer/events.tsx");
const overview = () => import("./settings/settings.tsx");
const floorTabs = () => import("./floor/work.tsx");
const packStart = () => import("./floor/pack_start.tsx");
const platforms = () => import("./developer/platform_list.tsx");

// The first screen whose path matches is shown, so literal paths come before paths with a parameter.

// biome-ignore format: a table is read by its columns.
const beforeSignIn: readonly Row[] = [
  ["/sign-in", "", titles.signIn, anyone, () => import("./users/sign_in.tsx")],
  ["/setup", "", titles.setup, anyone, oneTimeLinks, "SetupScreen"],
  ["/invitation", "", titles.invitation, anyone, oneTimeLinks, "InvitationScreen"],
  ["/reset", "", titles.reset, anyone, oneTimeLinks, "ResetScreen"],
  ["/device", "", titles.floorDevices, anyone, oneTimeLinks, "DeviceScreen"],
  ["/floor/sign-in", "", titles.floor, anyone, () => import("./floor/badge_sign_in.tsx")],
  ["/second-factor", "", titles.secondFactor, anyone, () => import("./users/second_factor_required.tsx")],
];

// biome-ignore format: a table is read by its columns.
const today: readonly Row[] = [
  ["/", "nav t", titles.today, "reports.read", () => import("./reports/today.tsx")],
  ["/exceptions", "nav", titles.exceptions, null, () => import("./reports/exceptions.tsx")],
];

// biome-ignore format: a table is read by its columns.
const orders: readonly Row[] = [
  ["/orders", "nav o", titles.orders, "orders.read", () => import("./orders/order_list.tsx")],
  ["/orders/board", "nav d", titles.board, "orders.read", () => import("./orders/order_board.tsx")],
  ["/orders/batch", "", batchTexts.start, "shipping.read", () => import("./orders/batch.tsx")],
  ["/orders/new", "palette n", titles.newOrder, "orders.write", () => import("./orders/order_new.tsx")],
  ["/orders/import", "palette", titles.importOrders, "orders.write", imports, "OrderImportScreen"],
  ["/waves", "nav w", titles.waves, staff("floor.read"), () => import("./waves/wave_list.tsx")],
  ["/waves/new", "palette", titles.planWave, staff("floor.lead"), () => import("./waves/wave_plan.tsx")],
  ["/waves/:id", "", titles.wave, staff("floor.read"), () => import("./waves/wave_page.tsx")],
  ["/imports/:id", "", titles.import, null, () => import("./imports/import_page.tsx")],
  ["/orders/:id", "", titles.order, "orders.read", () => import("./orders/order_page.tsx")],
  ["/orders/:id/change", "", titles.editOrder, "orders.write", () => import("./orders/order_change.tsx")],
];

// biome-ignore format: a table is read by its columns.
const stock: readonly Row[] = [
  ["/stock", "nav s", titles.stock, "stock.read", () => import("./stock/stock_list.tsx")],
  ["/stock/import", "palette", titles.importStock, staff("stock.write"), imports, "StockImportScreen"],
  ["/stock/:sku", "", titles.stock, "stock.read", () => import("./stock/stock_page.tsx")],
  ["/bins", "nav b", titles.bins, staff("stock.read"), () => import("./warehouses/bin_map.tsx")],
  ["/bins/:warehouse/:bin", "", titles.bins, staff("stock.read"), () => import("./warehouses/bin_page.tsx")],
  ["/lots", "nav", titles.lots, "stock.read", () => import("./stock/lot_list.tsx")],
  ["/lots/:id", "", titles.lots, "stock.read", () => import("./stock/lot_page.tsx")],
  ["/receipts", "nav", titles.receipts, "stock.read", () => import("./stock/receipt_list.tsx")],
  ["/receipts/new", "palette", titles.newReceipt, orMerchants("stock.write"), () => import("./stock/receipt_new.tsx")],
  ["/receipts/:id", "", titles.receipts, "stock.read", () => import("./stock/receipt_page.tsx")],
  ["/transfers", "nav", titles.transfers, staff("stock.read"), () => import("./stock/transfer_list.tsx")],
  ["/transfers/new", "palette", titles.newTransfer, staff("stock.write"), () => import("./stock/transfer_new.tsx")],
  ["/transfers/:id", "", titles.transfers, staff("stock.read"), () => import("./stock/transfer_page.tsx")],
  ["/counts", "nav", titles.counts, staff("stock.read"), () => import("./stock/count_list.tsx")],
  ["/counts/:id", "", titles.counts, staff("stock.read"), () => import("./stock/count_page.tsx")],
  ["/putbacks", "nav", titles.putbacks, staff("stock.read"), () => import("./stock/putback_list.tsx")],
];

// biome-ignore format: a table is read by its columns.
const products: readonly Row[] = [
  ["/products", "nav p", titles.products, "catalog.read", () => import("./products/product_list.tsx")],
  ["/products/new", "palette", titles.newProduct, "catalog.write", productForms, "NewProductScreen"],
  ["/products/import", "palette", titles.importProducts, "catalog.write", imports, "ProductImportScreen"],
  ["/products/:id", "", titles.product, "catalog.read", () => import("./products/product_page.tsx")],
  ["/products/:id/change", "", titles.editProduct, "catalog.write", productForms, "EditProductScreen"],
];

// biome-ignore format: a table is read by its columns.
const customers: readonly Row[] = [
  ["/customers", "nav c", titles.customers, "customers.read", () => import("./customers/customer_list.tsx")],
  ["/customers/new", "palette", titles.newCustomer, "customers.write", customerForms, "NewCustomerScreen"],
  ["/customers/import", "palette", titles.importCustomers, "customers.write", imports, "CustomerImportScreen"],
  ["/customers/:id", "", titles.customer, "customers.read", () => import("./customers/customer_page.tsx")],
  ["/customers/:id/change", "", titles.editCustomer, "customers.write", customerForms, "EditCustomerScreen"],
];

// biome-ignore format: a table is read by its columns.
const floor: readonly Row[] = [
  ["/floor", "nav f", titles.floor, worker, floorTabs, "FloorWorkScreen"],
  ["/floor/menu", "", titles.floor, worker, floorTabs, "FloorMenuScreen"],
  ["/floor/settings", "", titles.floor, worker, () => import("./floor/settings.tsx")],
  ["/floor/waves/:id", "", titles.floor, worker, () => import("./floor/pick_wave.tsx")],
  ["/floor/pack", "", titles.floor, worker, packStart, "PackStartScreen"],
  ["/floor/pack_items", "", titles.floor, worker, packStart, "PackItemsScreen"],
  ["/floor/packing/:id", "", titles.floor, worker, () => import("./floor/pack_session.tsx")],
  ["/floor/put_back/:order", "", titles.floor, worker, () => import("./floor/put_back.tsx")],
  ["/floor/look_up", "", titles.floor, worker, () => import("./floor/look_up.tsx")],
  ["/floor/move", "", titles.floor, worker, () => import("./floor/move_stock.tsx")],
];

// biome-ignore format: a table is read by its columns.
const returns: readonly Row[] = [
  ["/returns", "nav e", titles.returns, "returns.read", () => import("./returns/return_list.tsx")],
  ["/returns/new", "palette", titles.newReturn, "returns.write", () => import("./returns/return_new.tsx")],
  ["/returns/:id", "", titles.oneReturn, "returns.read", () => import("./returns/return_page.tsx")],
];

// biome-ignore format: a table is read by its columns.
const shipping: readonly Row[] = [
  ["/shipping", "nav l", labels.title, "shipping.read", () => import("./shipping/label_list.tsx")],
  ["/shipping/labels/:id", "", labels.id, "shipping.read", () => import("./shipping/label_page.tsx")],
  ["/shipping/manifests", "nav", manifests.title, staff("shipping.read"), manifestViews, "ManifestsScreen"],
  ["/shipping/manifests/:id", "", words.manifest, staff("shipping.read"), manifestViews, "ManifestScreen"],
  ["/shipping/rates", "nav", rates.title, "shipping.read", () => import("./shipping/rates.tsx")],
];

// biome-ignore format: a table is read by its columns.
const reports: readonly Row[] = [
  ["/reports", "nav r", titles.reports, "reports.read", reportViews, "ReportsScreen"],
  ["/reports/:name", "", titles.reports, "reports.read", reportViews, "ReportScreen"],
  ["/billing", "nav", titles.billing, "billing.read", () => import("./reports/billing_facts.tsx")],
  ["/billing/storage", "nav", titles.storage, "billing.read", () => import("./reports/storage_days.tsx")],
];

// biome-ignore format: a table is read by its columns.
const settings: readonly Row[] = [
  ["/settings", "nav ,", titles.settings, null, overview, "SettingsScreen"],
  ["/settings/groups/:group", "", titles.settings, null, overview, "SettingsGroupScreen"],

  ["/settings/house", "warehouse", entries.warehouses, staff("stock.read"), warehouses],
  ["/settings/printers", "warehouse", entries.printers, staff("floor.read"), printers, "PrintersScreen"],
  ["/settings/stations", "warehouse", entries.stations, staff("floor.read"), printers, "StationsScreen"],
  ["/settings/totes", "warehouse", entries.totes, staff("floor.read"), () => import("./settings/totes.tsx")],
  ["/settings/cartons", "warehouse", entries.cartons, staff("floor.read"), () => import("./settings/cartons.tsx")],
  ["/settings/printers/jobs", "palette", titles.printJobs, staff("floor.read"), printers, "PrintJobsScreen"],
  ["/settings/users", "warehouse", entries.users, "users.manage", () => import("./users/user_list.tsx")],
  ["/settings/devices", "warehouse", entries.floorDevices, staff("floor.manage"), floorDevices],
  ["/settings/profile", "warehouse", entries.profile, null, () => import("./users/profile.tsx")],

  ["/settings/merchants", "merchants", entries.merchants, "merchants.read", merchants],
  ["/settings/merchants/new", "palette", titles.newMerchant, "merchants.manage", merchant, "NewMerchantScreen"],
  ["/settings/merchants/:id", "", titles.merchant, "merchants.read", () => import("./settings/merchant_page.tsx")],
  ["/settings/merchants/:id/change", "", titles.editMerchant, "merchants.manage", merchant, "EditMerchantScreen"],
  ["/settings/branding", "merchants", entries.branding, "branding.manage", branding, "BrandingScreen"],
  ["/settings/platforms", "merchants", entries.stores, "platforms.manage", platforms, "PlatformsScreen"],
  ["/settings/platforms/new", "palette", titles.connectShop, "platforms.manage", platforms, "NewPlatformScreen"],
  ["/settings/platforms/:id", "", titles.platform, "platforms.manage", () => import("./developer/platform_page.tsx")],
  ["/settings/privacy", "merchants", entries.privacy, "privacy.manage", () => import("./customers/privacy_list.tsx")],
  ["/settings/privacy/:id", "", titles.erasure, "privacy.manage", () => import("./customers/erasure.tsx")],

  ["/shipping/carriers", "shipping", entries.carriers, staff("shipping.read"), () => import("./shipping/carriers.tsx")],
  ["/shipping/rules", "shipping", entries.rules, staff("shipping.read"), () => import("./shipping/rule_list.tsx")],
  ["/shipping/rate_cards", "shipping", entries.rateCards, staff("shipping.read"), rateCards],
  ["/shipping/rate_cards/:id", "", cards.one, staff("shipping.read"), () => import("./shipping/rate_card_page.tsx")],
  ["/shipping/zones", "shipping", entries.zones, staff("shipping.read"), () => import("./shipping/zones.tsx")],
  ["/shipping/holidays", "shipping", entries.holidays, staff("shipping.read"), () => import("./shipping/holidays.tsx")],

  ["/settings/keys", "developers", entries.keys, "keys.manage", () => import("./developer/key_list.tsx")],
  ["/settings/keys/:id", "", titles.key, "keys.manage", () => import("./developer/key_page.tsx")],
  ["/settings/webhooks", "developers", entries.webhooks, "webhooks.read", () => import("./developer/webhook_list.tsx")],
  ["/settings/webhooks/:id", "", titles.webhook, "webhooks.read", () => import("./developer/webhook_page.tsx")],
  ["/settings/events", "developers", entries.events, "events.read", events, "EventsScreen"],
  ["/settings/events/:id", "", titles.event, "events.read", events, "EventScreen"],
  ["/settings/requests", "developers", entries.requests, "requests.read", requests, "RequestsScreen"],
  ["/settings/requests/:id", "", titles.request, "requests.read", requests, "RequestScreen"],
  ["/settings/reference", "developers", entries.reference, null, () => import("./developer/reference.tsx")],

  ["/settings/backups", "system", entries.backups, "operator.manage", () => import("./settings/backups.tsx")],
  ["/settings/servers", "system", entries.servers, "operator.manage", () => import("./settings/servers.tsx")],
  ["/settings/metrics", "system", entries.metrics, "metrics.read", () => import("./settings/metrics.tsx")],
  ["/settings/mail", "system", entries.mail, "operator.manage", () => import("./settings/mail.tsx")],
  ["/settings/audit", "system", entries.audit, "audit.read", () => import("./settings/audit_log.tsx")],
  ["/settings/retention", "system", entries.retention, "operator.manage", () => import("./settings/retention.tsx")],
];

const groupIcons = {
  account: "user",
  warehouse: "warehouse",
  merchants: "users",
  shipping: "truck",
  developers: "webhook",
  system: "system",
} as const;
const groupIds = Object.keys(settingsGroups) as readonly (keyof typeof settingsGroups)[];
const groups: readonly ScreenGroup[] = groupIds.map((id) => ({
  id,
  path: `/settings/groups/${id}`,
  ...settingsGroups[id],
  icon: groupIcons[id],
}));

/** The sections of the navigation, in order. */
export const sections: readonly Section[] = [
  { id: "today", title: titles.today, icon: "home", phone: true },
  { id: "orders", title: titles.orders, icon: "cart", phone: true },
  { id: "stock", title: titles.stock, icon: "boxes", phone: true },
  { id: "products", title: titles.products, icon: "tag", phone: true },
  { id: "customers", title: titles.customers, icon: "customers" },
  { id: "floor", title: titles.floor, icon: "scan" },
  { id: "returns", title: titles.returns, icon: "return" },
  { id: "shipping", title: titles.shipping, icon: "truck" },
  { id: "reports", title: titles.reports, icon: "chart" },
  { id: "settings", title: titles.settings, icon: "settings", foot: true, groups },
];

const rows = {
  "": beforeSignIn,
  today,
  orders,
  stock,
  products,
  customers,
  floor,
  returns,
  shipping,
  reports,
  settings,
};

/** All screens. */
export const screens: readonly Screen[] = Object.entries(rows).flatMap(([section, all]) =>
  all.map(([path, where, title, access, load, name]) => {
    const rights = typeof access === "object" && access !== null ? access : { permission: access };
    const screen = { path, section, ...rights, load, ...(name && { name }) };
    if (typeof title === "object") return { ...screen, ...title, listed: "palette", group: where };
    const [listed, key] = where.split(" ") as [Screen["listed"], string | undefined];
    return { ...screen, title, listed, ...(key && { key }) };
  }),
);
