// The OpenAPI 3.1 document, built from the schemas that validate requests.

import type { TSchema } from "@sinclair/typebox";
import type { FaultCode } from "../../core/faults.ts";
import { isOfMerchants } from "../../http/auth/merchant_permissions.ts";
import { levelFor } from "../../http/auth/permissions.ts";
import { commonFilters } from "./common_fields.ts";
import { eventWebhooks } from "./event_webhooks.ts";
import { type JsonObject, Publisher } from "./json_schema.ts";
import type { Example, Examples, RefusedExamples } from "./operation.ts";
import { isTagged, isWrite, type Operation, pathParameters } from "./operation.ts";
import { envelopeSchemas, errorSchemas, headers, Refusals, shortened, successes } from "./responses.ts";
import { schemaNames } from "./schema_names.ts";
import { shareParts } from "./shared_parts.ts";

/** The parts of the document other than its operations. */
interface Surroundings {
  readonly version: string;
  /** Base URL of the service without a trailing slash; empty for URLs relative to the document. */
  readonly base_url: string;
  readonly introduction: string;
  readonly examples: Examples;
  readonly refused: RefusedExamples;
  /** Schemas shared by all responses, by name, such as `Meta`. */
  readonly schemas: Readonly<Record<string, TSchema>>;
  /** The one-line meaning of an error code. */
  readonly meaning: (code: FaultCode) => string;
  /** The chapters in reading order. */
  readonly chapters: readonly { readonly name: string; readonly description: string }[];
}

const onCondition =
  "The `ETag` of an earlier response, unchanged. The request is executed only if the resource is still in that state.";

/** Builds the document deterministically. Throws if two operations have the same id. */
export function openApiDocument(operations: readonly Operation[], around: Surroundings): JsonObject {
  const publisher = new Publisher();
  for (const [name, schema] of Object.entries({ ...around.schemas, ...schemaNames })) publisher.name(schema, name);
  nameBodies(operations, publisher);
  const refusals = new Refusals(operations, around.meaning);
  const used = new Set(operations.map(({ chapter }) => chapter));
  const paths = pathsOf(operations, around, (operation) => describe(operation, { publisher, refusals, around }));
  const webhooks = eventWebhooks(publisher);
  const components = shareParts({
    paths,
    webhooks,
    schemas: { ...publisher.components, ...envelopeSchemas, ...errorSchemas(around.refused) },
    responses: refusals.components(),
  });
  return {
    openapi: "3.1.1",
    info: {
      title: "Packhouse API",
      version: around.version,
      summary: "Fulfillment for third-party logistics.",
      description: around.introduction,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      contact: { name: "The operator of this service" },
    },
    servers: [
      { url: `${around.base_url}/v1`, description: "This service" },
      { url: `${around.base_url}/api/v1`, description: "The same API under its alternative path" },
    ],
    security: [{ api_key: [] }],
    tags: around.chapters
      .filter(({ name }) => used.has(name))
      .map(({ name, description: about }) => ({ name, description: about })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        api_key: { type: "http", scheme: "bearer", description: "An API key: `ph_live_…` or `ph_test_…`." },
      },
      headers,
      ...components,
    },
  };
}

/** Names each body after its operation: `createOrder` takes a `CreateOrder`. */
function nameBodies(operations: readonly Operation[], publisher: Publisher): void {
  for (const { id, body } of operations) {
    if (body === null || Object.keys(body["properties"] ?? {}).length === 0) continue;
    const name = id.charAt(0).toUpperCase() + id.slice(1);
    publisher.name(body, name, `${name}Body`);
  }
}

function pathsOf(
  operations: readonly Operation[],
  { chapters }: Surroundings,
  describe: (operation: Operation) => JsonObject,
): Record<string, JsonObject> {
  const paths: Record<string, JsonObject> = {};
  const ids = new Set<string>();
  const order = new Map(chapters.map(({ name }, at) => [name, at]));
  const rank = ({ chapter }: Operation) => order.get(chapter) ?? chapters.length;
  for (const operation of [...operations].sort((a, b) => rank(a) - rank(b))) {
    if (ids.has(operation.id)) throw new Error(`two operations have the id ${operation.id}`);
    ids.add(operation.id);
    const servers = operation.versioned ? {} : { servers: [{ url: "/" }] };
    paths[operation.path] = { ...(paths[operation.path] ?? servers), [operation.method]: describe(operation) };
  }
  return paths;
}

interface Describing {
  readonly publisher: Publisher;
  readonly refusals: Refusals;
  readonly around: Surroundings;
}

const level_words = { read: "any key", read_write: "a write key", full: "a full-access key" };

/** The key or user that an operation requires, in words. */
function neededBy({ need, live_only }: Operation): string {
  if (need === "none") return "no key";
  if (need === "any") return "any key or user";
  if (need === "user") return "a signed-in user; API keys are refused";
  if (need === "imports") return "a write key or the permission to import that kind of record";
  if (need === "order_actions") return "a write key or the permission for the action";
  if (need === "uploads") return "a write key or the permission for that kind of file";
  const key = level_words[levelFor(need)];
  return `${key}${live_only ? " of the live environment" : ""} or \`${need}\``;
}

function describe(operation: Operation, { publisher, refusals, around }: Describing): JsonObject {
  const { id, chapter, summary, need } = operation;
  const example = around.examples[id];
  const about = [operation.description, `Requires ${neededBy(operation)}.`]
    .filter((text) => text !== null)
    .join("\n\n");
  return {
    operationId: id,
    summary,
    description: about,
    tags: [chapter],
    ...(need === "none" ? { security: [] } : {}),
    parameters: parametersOf(operation, publisher, example),
    ...bodyOf(operation, publisher, example),
    responses: { ...refusals.of(operation), ...successes(operation, publisher, example) },
  };
}

/** The record that `id` names, by the start of the path. */
const records: Readonly<Record<string, string>> = {
  "/customers/": "The customer, such as `cus_1001`.",
  "/erasures/": "The erasure, such as `ers_1001`.",
  "/events/": "The event, such as `evt_0198c7…`.",
  "/files/": "The file, such as `fil_1001`.",
  "/floor_devices/": "The device, such as `fdv_1001`.",
  "/imports/": "The import, such as `imf_1001`.",
  "/inventory/counts/": "The count, such as `cnt_1001`.",
  "/inventory/locations/": "The warehouse, such as `whs_1001`.",
  "/inventory/lots/": "The lot, such as `lot_1001`.",
  "/inventory/receipts/": "The receipt, such as `rcv_1001`.",
  "/inventory/reservations/": "The reservation, such as `rsv_1001`.",
  "/inventory/transfers/": "The transfer, such as `trf_1001`.",
  "/invitations/": "The invitation, such as `inv_1001`.",
  "/keys/": "The API key, such as `key_1001`.",
  "/labels/": "The label, such as `lbl_1001`.",
  "/merchants/": "The merchant, by id, such as `mer_1`, or by code.",
  "/notices/": "The notice, such as `ntc_1001`.",
  "/orders/": "The order: its id, such as `ord_1001`, or its order number, percent-encoded.",
  "/platforms/": "The connection, such as `plt_1001`.",
  "/products/": "The product, such as `prd_1001`.",
  "/requests/": "The entry, such as `log_12_3`, or a `request_id`.",
  "/returns/": "The return, such as `ret_1001`.",
  "/shipments/": "The parcel, such as `shp_1001`.",
  "/shipping/carrier_accounts/": "The carrier account, such as `cac_1001`.",
  "/shipping/labels/": "The label, such as `lbl_1001`.",
  "/documents/": "The document, such as `doc_1001`.",
  "/packing_sessions/": "The packing session, such as `pks_1001`.",
  "/shipping/manifests/": "The manifest, such as `man_1001`.",
  "/shipping/rate_cards/": "The rate card, such as `rtc_1001`.",
  "/printers/": "The printer, such as `prn_1001`.",
  "/stations/": "The packing station, such as `stn_1001`.",
  "/cartons/": "The carton, such as `ctn_1001`.",
  "/print_jobs/": "The print job, such as `prj_1001`.",
  "/shipping/rules/": "The rule, such as `rul_1001`.",
  "/shipping/zones/charts/": "The chart, such as `zch_1001`.",
  "/totes/": "The tote, such as `tot_1001`.",
  "/users/": "The user, such as `usr_1001`.",
  "/waves/": "The wave, such as `wav_1001`.",
  "/webhooks/": "The subscription, such as `whk_1001`.",
};
const recordOf = (path: string) => Object.entries(records).find(([start]) => path.startsWith(`${start}{id}`))?.[1];
const nouns: Readonly<Record<string, string>> = {
  sku: "The SKU of a product.",
  tracking_number: "The tracking number, as printed or as scanned.",
  carrier: "The carrier's code, such as `local`.",
  connector: "The connector of the carrier account, such as `easypost`.",
  address_id: "The address, such as `adr_1001`.",
  token: "The token at the end of a `tracking_url`.",
  refund_id: "The refund, such as `rfd_1001`.",
  delivery_id: "The delivery, such as `dlv_1001`.",
  recovery_id: "The recovery, such as `rcy_1001`.",
  log_id: "The attempt, such as `att_1001`.",
  import_id: "The import, such as `imp_1001`.",
  report_id: "The report, such as `rpt_1001`.",
  listing_id: "The listing, such as `lst_1001`.",
  shipment_id: "The parcel, such as `shp_1001`.",
  order_id: "The order, such as `ord_1001`.",
  task: "The task, such as `pick_wav_1001` or `pack_ord_1001`.",
  note_id: "The note, such as `nte_1001`.",
  session_id: "The session, such as `ses_1001`.",
};

function parametersOf(operation: Operation, publisher: Publisher, example: Example | undefined): JsonObject[] {
  const shown = (name: string, values: Readonly<Record<string, string>> = {}) =>
    name in values ? { example: values[name] } : {};
  const inPath = pathParameters(operation).map((name) => ({
    name,
    in: "path",
    required: true,
    description: (name === "id" ? recordOf(operation.path) : nouns[name]) ?? "",
    schema: { type: "string", minLength: 1, maxLength: 255 },
    ...shown(name, example?.path),
  }));
  const { properties = {}, required = [] } = operation.query ?? {};
  const inQuery = Object.entries(properties).map(([name, schema]) => {
    const { description: about = commonFilters[name], ...whole } = publisher.publish(schema);
    // How many values a filter takes is the same everywhere: see the guide *Conventions*.
    const { minItems: _min, maxItems: _max, ...published } = whole;
    // The reference page sends the example of a filter unless the user clears it.
    const value = required.includes(name) ? shown(name, example?.query) : {};
    return {
      name,
      in: "query",
      ...(required.includes(name) ? { required: true } : {}),
      ...(about === undefined ? {} : { description: about }),
      schema: published,
      ...(published["type"] === "array" ? { style: "form", explode: false } : {}),
      ...("example" in value ? { example: readAs(published["type"], String(value.example)) } : {}),
      ...(required.includes(name) ? {} : untickedOf(published)),
    };
  });
  return [...inPath, ...inQuery, ...merchantIn(operation), ...headersOf(operation)];
}

const whose = "Only records of this merchant, by id or code. A merchant's own key sees no others.";

/** The `merchant` filter of every list of merchant records. */
function merchantIn({ id, need, method, path, sends }: Operation): JsonObject[] {
  const lists = (method === "get" && !path.includes("{")) || /^(?:text\/csv|application\/octet-stream)$/.test(sends);
  if (!lists || !isOfMerchants(need, id)) return [];
  const description = method === "get" ? whose : "The merchant, by id or code.";
  return [{ name: "merchant", in: "query", description, schema: merchant_name }];
}

const merchant_name = { type: "string", minLength: 1, maxLength: 24 };

/** Keeps the reference page from sending the first or default value of a filter that the user did not set. */
function untickedOf(published: JsonObject): JsonObject {
  const [first] = (published["enum"] ?? []) as unknown[];
  const [item] = ((published["items"] as JsonObject | undefined)?.["enum"] ?? []) as unknown[];
  const value = published["default"] ?? first ?? (item === undefined ? undefined : [item]);
  return value === undefined ? {} : { examples: { default: { value, "x-disabled": true } } };
}

const readAs = (type: unknown, text: string) => {
  if (type === "array") return text.split(",");
  return type === "integer" ? Number(text) : type === "boolean" ? text === "true" : text;
};

const onRepetition =
  "A key that you choose for this request. Within 24 hours, a repeated request takes effect once: it returns the" +
  " stored response, with the header `Idempotency-Replayed: true`.";

function headersOf(operation: Operation): JsonObject[] {
  const header = (name: string, about: string, schema: JsonObject) => ({
    name,
    in: "header",
    description: about,
    schema,
  });
  const tag = { type: "string", maxLength: 500 };
  return [
    ...(isWrite(operation)
      ? [
          header("Idempotency-Key", onRepetition, {
            type: "string",
            minLength: 1,
            maxLength: 255,
            pattern: "^[\\x21-\\x7e]+$",
          }),
        ]
      : []),
    ...(isOfMerchants(operation.need, operation.id)
      ? [
          header(
            "Packhouse-Merchant",
            "The merchant that a request with the operator's key is for, by id or code.",
            merchant_name,
          ),
        ]
      : []),
    ...(operation.matches ? [header("If-Match", onCondition, tag)] : []),
    ...(isTagged(operation) && operation.method === "get"
      ? [header("If-None-Match", "The `ETag` that you have: the response is 304 if nothing has changed.", tag)]
      : []),
  ];
}

function bodyOf(operation: Operation, publisher: Publisher, example: Example | undefined): JsonObject {
  const { body, sends, method } = operation;
  if (body === null && sends === "application/json") return {};
  const schema = body === null ? { type: "string" } : publisher.publish(body);
  const fields = (body?.["required"] ?? []) as readonly string[];
  const shown = example?.body === undefined ? {} : { example: shortened(example.body) };
  return {
    requestBody: {
      required: body === null || fields.length > 0 || method === "patch",
      content: { [sends]: { schema, ...shown } },
    },
  };
}
