// What each role may do, written by hand as a second opinion on `src/identity/users/roles.ts`, in terms of what people
// do rather than of permissions. The first row that matches a route counts, and a route without a row fails the tests.
// The columns: owner, manager, office, lead, floor, viewer.
const all = "ok  ok  ok  ok  ok  ok";
const above_floor = "ok  ok  ok  403 403 403";

export const rolesByHand: readonly (readonly [route: RegExp, row: string])[] = [
  // About oneself, or without the operator's data.
  [/ \/users\/me\b| \/dashboard\/api\/|^GET \/(?:roles|errors|event_types)$/, all],
  // These check the permission of each record type themselves.
  [/^GET \/(?:search|exceptions|exceptions\/counts)$/, all],

  // Setup: access for others is up to owners, the rest also to managers.
  [/ \/(?:keys|platforms)\b/, "ok  403 403 403 403 403"],
  [/^GET \/(?:webhooks|notices)\b/, above_floor],
  [/^POST \/webhooks\/bigcommerce/, above_floor],
  [/ \/(?:webhooks|notices)\b/, "ok  403 403 403 403 403"],
  [/ \/(?:users|invitations|audit|backups|mail|metrics|requests|restorations|servers)\b/, "ok  ok  403 403 403 403"],
  [/ \/floor_devices\b/, "ok  ok  403 403 403 403"],
  [/^POST \/billing\b/, "ok  ok  403 403 403 403"],
  [/^(?:POST|PATCH) \/(?:inventory\/locations|merchants)\b/, "ok  ok  403 403 403 403"],
  [/ \/(?:erasures|disclosures|settings)\b| \/customers\/:id\/(?:erasure|disclosure)$/, "ok  ok  403 403 403 403"],
  [/ \/shipping\/carrier_accounts\b/, "ok  ok  403 403 403 403"],
  [
    /^(?:POST|PUT|PATCH|DELETE) \/shipping\/(?:rate_cards|rules(?!\/trials)|zones|holidays)\b/,
    "ok  ok  403 403 403 403",
  ],

  // Warehouse floor.
  [/^POST \/(?:print_jobs\b|printers\/:id\/test$)|^GET \/print_jobs\/:id\/document$/, "ok  ok  ok  ok  ok  403"],
  [/^GET \/(?:printers|stations|cartons|print_jobs)\b/, all],
  [/ \/(?:printers|stations|cartons)\b/, "ok  ok  403 403 403 403"],
  [/^POST \/orders\/:id\/(?:process|pick|pack|ship|deliver|unpick|unpack)$/, "ok  ok  ok  ok  ok  403"],
  [/^POST \/orders\/:id\/shipments\/:shipment_id\/reopen$/, "ok  ok  ok  ok  ok  403"],
  [/^POST \/inventory\/(?:putbacks|moves)$/, "ok  ok  ok  ok  ok  403"],
  [
    /^POST \/inventory\/(?:counts|receipts)\/:id\/items$|^POST \/inventory\/receipts\/:id\/close$/,
    "ok  ok  ok  ok  ok  403",
  ],
  [/^POST \/inventory\/transfers\/:id\/(?:ship|receive)$/, "ok  ok  ok  ok  ok  403"],
  [/^POST \/(?:waves\/:id\/(?:totes|picks|unpick)|totes\/:id\/release)$/, "ok  ok  ok  ok  ok  403"],
  [/^POST \/work\/(?:next|:task\/(?:claim|release))$/, "ok  ok  ok  ok  ok  403"],
  [/^(?:POST|DELETE) \/(?:waves|work)\b/, "ok  ok  ok  ok  403 403"],
  [/^(?:POST|PATCH|DELETE) \/totes\b/, "ok  ok  403 403 403 403"],
  [/^POST \/returns\/:id\/(?:receive|inspect)$/, "ok  ok  ok  ok  ok  403"],
  [
    /^POST \/shipping\/(?:labels|labels\/external|labels\/:id\/void|manifests|manifests\/:id\/ship)$/,
    "ok  ok  ok  ok  ok  403",
  ],
  [/^(?:POST|PATCH) \/packing_sessions\b/, "ok  ok  ok  ok  ok  403"],
  [/^POST \/documents$/, "ok  ok  ok  ok  ok  403"],
  // Labels that were bought elsewhere; it checks the permission of other kinds of files itself.
  [/^POST \/files$/, "ok  ok  ok  ok  ok  403"],
  // It checks the permission of each action itself.
  [/^POST \/orders\/actions$/, "ok  ok  ok  ok  ok  403"],

  // Queries that are sent by POST.
  [/^POST \/(?:shipping\/rates(?:\/bulk)?|shipping\/rules\/trials|tracking\/batch)$/, all],
  [/^POST \/addresses\/verify$/, "ok  ok  ok  403 403 ok"],

  // Reading: the floor sees stock and parcels, but no customers, figures and uploaded files.
  [/^GET \/(?:files|merchants\/:id\/branding)\b/, "ok  ok  ok  ok  403 ok"],
  [/^GET \/(?:documents|order_tags)\b/, all],
  [/^GET \/(?:merchants|orders|pick_lists|products|inventory|returns|shipping|shipments|tracking)\b/, all],
  [/^GET \/(?:floor|packing_sessions|totes|waves|work)\b/, all],
  [/^GET \/(?:customers|reports|overview)\b/, "ok  ok  ok  403 403 ok"],
  [/^GET \/(?:events|billing)\b/, above_floor],

  // Daily office work. Shift leads correct stock too, and import only stock: each kind of import checks it.
  [/^(?:POST|PUT|PATCH|DELETE) \/inventory\b| \/imports\b/, "ok  ok  ok  ok  403 403"],
  [/^(?:POST|PUT|PATCH|DELETE) \/(?:orders|products|customers|returns|tracking|files)\b/, above_floor],
];
