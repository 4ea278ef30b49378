/** The words of the screens about events. */
export const eventTexts = {
  emptyTitle: "No events yet",
  emptyText: "An event records what happened, such as an order created or a parcel delivered. Webhooks send events.",
  type: "Type",
  at: "When",
  id: "Event",
  about: "About",
  json: "Payload",
  jsonText: "What version 1 webhooks receive and GET /v1/events answers.",
  forgotten: "The payload was deleted after its retention time.",
  open: "Open the object",
  since: "Since",
} as const;
