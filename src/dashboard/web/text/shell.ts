import { plural } from "./format.ts";

export const shellTexts = {
  skip: "Skip to content",
  navigation: "Main",
  live: "Live",
  environment: "Environment",
  toTest: "Switch to test data",
  toLive: "Switch to live data",
  testBanner: "Test mode. Nothing ships and no one is charged.",
  fold: "Collapse sidebar",
  unfold: "Expand sidebar",
  account: "Account",
  theme: "Theme",
  themes: { system: "System", light: "Light", dark: "Dark" },
  density: "Row height",
  densities: { compact: "Compact", comfortable: "Comfortable" },
  shortcuts: "Keyboard shortcuts",
  palette: "Search and actions",
  paletteHint: "Search screens, actions, orders, SKUs, customers…",
  paletteNothing: "No results.",
  openPalette: "Search…",
  screens: "Screens",
  focusSearch: "Search this screen, or everything",
  helpKeys: "Show keyboard shortcuts",
  keys: {
    ofScreen: "This screen",
    ofDialog: "This dialog",
    everywhere: "Everywhere",
    goTo: "Go to",
    close: "Close the open dialog or menu",
  },
  offline: "Can't reach the server. This page may be out of date. Reconnecting…",
  notFound: "Page not found",
  notFoundText: "The address may be wrong, or the record was deleted.",
  notPermitted: "No permission",
  notPermittedText: "You don't have access to this page.",
  notViewed: (name: string) => `Not visible to ${name}. Exit the merchant view to see it.`,
  operatorOnly: "Only warehouse staff can see this page.",
  viewing: (name: string) => `Viewing as ${name} (read-only).`,
  viewingName: "Merchant view",
  leaveView: "Exit view",
  restored: {
    name: "Restored from a backup",
    text: (as_of: string, held: { deliveries: number; reports: number; purchases: number }) => {
      const { deliveries, reports, purchases } = held;
      const parts = [
        [deliveries, "webhook delivery", "webhook deliveries"],
        [reports, "shipment report", "shipment reports"],
        [purchases, "label purchase", "label purchases"],
      ] as const;
      const counts = parts.flatMap(([count, one, many]) => (count === 0 ? [] : [plural(count, one, many)]));
      return `This data was restored from a backup of ${as_of}. On hold until you decide: ${counts.join(", ")}.`;
    },
    send: {
      title: "Send everything on hold?",
      text:
        "Pending deliveries were probably sent after the backup. Receivers ignore events they already have, and" +
        " carriers are checked before a label is bought.",
      act: "Send",
    },
    drop: {
      title: "Discard everything on hold?",
      text:
        "Deliveries are marked as dropped; you can redeliver them one by one. Shipment reports can be retried." +
        " Pending label purchases fail: check with the carrier whether a label was bought.",
      act: "Discard",
    },
  },
  signedInAs: "Signed in to",
  operator: "Warehouse (operator)",
  toStart: "Go to Today",
  broken: "Something went wrong",
  brokenText: "The rest of the dashboard still works. Reload this page. If that doesn't help, report this message:",
  reload: "Reload",
  outOfDate: "A new version is available. Reload the page.",
} as const;
