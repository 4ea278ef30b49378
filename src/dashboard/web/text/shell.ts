import { plural } from "./format.ts";

/** The words around every screen. */
export const shellTexts = {
  skip: "Skip to content",
  navigation: "Main",
  live: "Live",
  test: "Test",
  world: "World",
  toTest: "Switch to test data",
  toLive: "Back to live data",
  testBanner: "Test data: nothing is shipped and nobody is charged.",
  fold: "Collapse the navigation",
  unfold: "Expand the navigation",
  more: "More",
  account: "Account",
  theme: "Theme",
  themes: { system: "System", light: "Light", dark: "Dark" },
  density: "Row height",
  densities: { compact: "Compact", comfortable: "Comfortable" },
  signOut: "Sign out",
  shortcuts: "Keyboard shortcuts",
  palette: "Search and actions",
  paletteHint: "Search screens, actions, orders, SKUs, customers…",
  paletteNothing: "Nothing matches.",
  openPalette: "Search…",
  screens: "Screens",
  focusSearch: "Search on this screen, or everywhere",
  helpKeys: "Show the keyboard shortcuts",
  listKeys: "In a list: next and previous row, open it, select it",
  formKeys: "In a form: save",
  closeKeys: "Close the open dialog or menu",
  goTo: (title: string) => `Go to ${title}`,
  offline: "The server cannot be reached. This page may be out of date; it keeps trying to connect.",
  notFound: "Page not found",
  notFoundText: "The address may be wrong, or what it showed was deleted.",
  notPermitted: "No permission",
  notPermittedText: "You don't have access to this page.",
  notViewed: (name: string) => `Not visible to ${name}. Exit the merchant view to see it.`,
  ofHouse: "Only warehouse staff can see this page.",
  viewing: (name: string) => `You see what ${name} sees. Nothing can be changed.`,
  viewingName: "View of a merchant",
  leaveView: "Leave",
  restored: {
    name: "Restored from a backup",
    says: (as_of: string, waiting: { deliveries: number; reports: number; purchases: number }) => {
      const { deliveries, reports, purchases } = waiting;
      const parts = [
        [deliveries, "webhook delivery", "webhook deliveries"],
        [reports, "report to a platform", "reports to platforms"],
        [purchases, "purchase of a label", "purchases of labels"],
      ] as const;
      const told = parts.flatMap(([count, one, many]) => (count === 0 ? [] : [plural(count, one, many)]));
      return `This data is a backup of ${as_of}. Waiting for your decision: ${told.join(", ")}.`;
    },
    send: {
      title: "Let what has waited go out?",
      text:
        "What waited when the backup was made has probably gone out since. Receivers get the same event ids again and" +
        " pass over those that they know; carriers are asked before a label is bought.",
      act: "Let it go out",
    },
    drop: {
      title: "Never send what has waited?",
      text:
        "Deliveries are marked as dropped and can be redelivered one by one, reports can be retried, and labels that" +
        " were being bought fail: look at the carrier whether they were.",
      act: "Never send it",
    },
  },
  signedInAs: "Signed in for",
  theHouse: "The house",
  toStart: "Go to Today",
  broken: "This screen has stopped working",
  brokenText: "The rest of the dashboard still works. Reload the screen. If that does not help, report this message:",
  reload: "Reload",
  outOfDate: "A new version is installed. Reload the page to use it.",
} as const;
