/** The words of the screens about events. */
export const eventTexts = {
  emptyTitle: "No events yet",
  emptyText:
    "An event says that something has happened: an order was created, a parcel was delivered. Webhooks send them.",
  type: "Type",
  at: "When",
  id: "Event",
  about: "About",
  json: "As it is sent",
  jsonText: "What webhooks of version 1 receive, and what GET /v1/events answers.",
  forgotten: "What it said was forgotten: it is older than payloads are kept.",
  open: "Open what it is about",
  since: "Since",
} as const;
