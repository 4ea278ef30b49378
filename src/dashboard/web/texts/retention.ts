import { plural } from "./format.ts";

const timeOf = (time: number, unit: "days" | "years") =>
  unit === "days" ? plural(time, "day", "days") : plural(time, "year", "years");

/** The texts of the screen about how long records are kept. */
export const retentionTexts = {
  title: "Retention",
  intro: "For how long each kind of record is kept. What is older is deleted in the night.",
  worldOf: {
    live: "These are the times of the live data. The test data have their own.",
    test: "These are the times of the test data. The live data have their own.",
  },
  saved: "The times are saved. They count from the next night on.",
  shorterTitle: "The next night deletes what is older than the new times. A longer time later brings nothing back.",
  shorter: (label: string, from: string, to: string) => `${label}: ${to} instead of ${from}`,
  forGood: "for good",
  time: timeOf,
  takes: (costs: string) =>
    costs === "Nothing." ? "It takes no room." : `It takes ${costs.charAt(0).toLowerCase()}${costs.slice(1)}`,
  usual: (usual: number | null, unit: "days" | "years") =>
    usual === null ? "Empty: kept for good, as is usual." : `Empty: ${timeOf(usual, unit)}, as is usual.`,
  limits: (least: number, most: number, unit: "days" | "years") =>
    least === most ? `Always ${timeOf(least, unit)}.` : `From ${least} to ${timeOf(most, unit)}.`,
  groups: {
    people: "People who order",
    events: "Events and webhooks",
    partners: "Stores and carriers",
    acts: "Requests and acts",
  },
  kinds: {
    closed_orders: ["people", "Names and addresses in ended orders"],
    label_documents: ["people", "Documents of carriers' labels"],
    idle_customers: ["people", "Customers without orders that name them"],
    commercial_records: ["people", "Commercial records"],
    event_payloads: ["events", "Payloads of events"],
    delivery_log: ["events", "Deliveries to webhooks"],
    receiver_answers: ["events", "Answers of receivers"],
    platform_orders: ["partners", "Orders of stores that were not imported"],
    platform_notifications: ["partners", "Notifications of stores"],
    carrier_callbacks: ["partners", "Callbacks of carriers"],
    unclaimed_scans: ["partners", "Scans of unknown parcels"],
    request_log: ["acts", "Log of requests"],
    audit_trail: ["acts", "Audit trail"],
    invitations: ["acts", "Invitations that are over"],
    kept_answers: ["acts", "Answers for repeated requests"],
  },
} as const;
