// What each role may do, written by hand as a second opinion on `src/identity/users/roles.ts`, in terms of what people
// do rather than of permissions. The first row that matches a route counts, and a route without a row fails the tests.
// The columns: owner, manager, office, floor, viewer.
const all = "ok  ok  ok  ok  ok";
const above_floor = "ok  ok  ok  403 403";

export const rolesByHand: readonly (readonly [route: RegExp, row: string])[] = [
  // About oneself, and what holds nothing of the house.
  [/ \/users\/me\b| \/dashboard\/api\/|^GET \/(?:roles|errors|event-types)$/, all],
  // What finds everything asks for each thing by itself.
  [/^GET \/search$/, all],

  // How the house is set up: what lets others in is the owner's, the rest the manager's, too.
  [/ \/(?:keys|platforms)\b/, "ok  403 403 403 403"],
  [/^GET \/(?:webhooks|notices)\b/, above_floor],
  [/^POST \/webhooks\/bigcommerce/, above_floor],
  [/ \/(?:webhooks|notices)\b/, "ok  403 403 403 403"],
  [/ \/(?:users|invitations|audit|backups|mail|metrics|requests|restorations|servers)\b/, "ok  ok  403 403 403"],
  [/^POST \/billing\b/, "ok  ok  403 403 403"],
  [/^(?:POST|PATCH) \/(?:inventory\/locations|merchants)\b/, "ok  ok  403 403 403"],
  [/ \/(?:erasures|disclosures|settings)\b| \/customers\/:id\/(?:erasure|disclosure)$/, "ok  ok  403 403 403"],
  [/ \/shipping\/carrier-accounts\b/, "ok  ok  403 403 403"],
  [/^(?:POST|PUT|PATCH|DELETE) \/shipping\/(?:rate-cards|zones|holidays)\b/, "ok  ok  403 403 403"],

  // Goods in hand.
  [/^POST \/orders\/:id\/(?:process|pick|pack|ship|deliver)$/, "ok  ok  ok  ok  403"],
  [/^POST \/inventory\/(?:putbacks|moves)$/, "ok  ok  ok  ok  403"],
  [
    /^POST \/inventory\/(?:counts|receipts)\/:id\/lines$|^POST \/inventory\/receipts\/:id\/close$/,
    "ok  ok  ok  ok  403",
  ],
  [/^POST \/inventory\/transfers\/:id\/(?:ship|receive)$/, "ok  ok  ok  ok  403"],
  [/^POST \/returns\/:id\/(?:receive|inspect)$/, "ok  ok  ok  ok  403"],
  [/^POST \/shipping\/(?:labels|labels\/:id\/void|manifests)$/, "ok  ok  ok  ok  403"],

  // What only asks, although it is sent by POST.
  [/^POST \/(?:shipping\/rates|tracking\/batch)$/, all],
  [/^POST \/addresses\/verify$/, "ok  ok  ok  403 ok"],

  // Looking: the floor sees goods and parcels, not people and figures.
  [/^GET \/(?:merchants|orders|pick-lists|products|inventory|returns|shipping|shipments|tracking)\b/, all],
  [/^GET \/(?:customers|reports|overview)\b/, "ok  ok  ok  403 ok"],
  [/^GET \/(?:events|billing)\b/, above_floor],

  // The daily work at a desk.
  [/^(?:POST|PUT|PATCH|DELETE) \/(?:orders|products|inventory|customers|returns|tracking)\b/, above_floor],
];
