// A mock of EasyPost by its public documentation and official client. It refuses unknown input, and counts
// its sales.
import { createHmac } from "node:crypto";
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Answered, type Asked, type Json, objectOf, openServer } from "../../outbound/mock_server.ts";
import { bodies } from "./easypost_shapes.ts";
import { labelBytes } from "./label_bytes.ts";

const error = (status: number, code: string, message: string, errors: unknown[] = []): Answered => ({
  status,
  body: { error: { code, message, errors } },
});
const notFound = error(404, "NOT_FOUND", "The requested resource could not be found.");
const done = (body: unknown, status = 200): Answered => ({ status, body });

/** The services of the mock, with cents per parcel and per ounce. */
const services = [
  { carrier: "USPS", service: "GroundAdvantage", cents: 512, ounce: 6, days: 3 },
  { carrier: "USPS", service: "Priority", cents: 695, ounce: 11, days: 2 },
  { carrier: "USPS", service: "Express", cents: 3125, ounce: 25, days: null },
  { carrier: "DhlExpressDefault", service: "ExpressWorldwide", cents: 5210, ounce: 40, days: 4 },
] as const;

// Two accounts of one carrier fail with the same message.
const failing: readonly Json[] = ["ca_fedex", "ca_fedex2"].map((carrier_account_id) => ({
  carrier: "FedEx",
  carrier_account_id,
  type: "rate_error",
  message: "Shipper is not registered",
}));

const accounts = [
  { type: "UspsAccount", readable: "USPS" },
  { type: "DhlExpressDefaultAccount", readable: "DHL Express" },
  { type: "FedexAccount", readable: "FedEx" },
].map((one) => ({ id: `ca_${one.type}`, object: "CarrierAccount", ...one, description: "", clone: false }));

const level = (carrier: string, name: string, human_readable: string | null = null) => ({
  carrier,
  name,
  human_readable,
});
const metadata = [
  {
    name: "usps",
    human_readable: "USPS",
    service_levels: [
      level("usps", "GroundAdvantage", "Ground Advantage"),
      level("usps", "Priority"),
      level("usps", "Express"),
    ],
  },
  { name: "fedex", human_readable: "FedEx", service_levels: [level("fedex", "FEDEX_GROUND")] },
  { name: "dhlexpress", human_readable: "DHL Express", service_levels: [] },
];

/** A scan for the mock's `scan`. */
export interface Scan {
  readonly status: string;
  readonly status_detail?: string;
  readonly at: number;
  readonly message?: string;
  readonly city?: string;
  readonly signed_by?: string;
}

interface Purchase {
  readonly shipment_id: string;
  readonly rate_id: string;
  readonly reference: unknown;
}

const decimal = (cents: number): string => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
const moment = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, "Z");

/** A USPS tracking number: 22 digits with a check digit. */
export function uspsNumber(serial: number): string {
  const digits = `94001${String(serial).padStart(16, "0")}`;
  const weighted = [...digits].reverse().map((digit, index) => Number(digit) * (index % 2 === 0 ? 3 : 1));
  return `${digits}${(10 - (weighted.reduce((sum, one) => sum + one, 0) % 10)) % 10}`;
}

/** The data of one EasyPost customer. */
class Customer {
  readonly shipments = new Map<string, Json>();
  readonly trackers = new Map<string, Json>();
  readonly purchases: Purchase[] = [];
  readonly refunds: string[] = [];
  /** The remaining balance, the result of refunds, and whether addresses are found. */
  readonly settings = { balance_cents: 1_000_000, refund_status: "submitted", verified: true };
  private readonly now: () => number;
  private readonly fileUrl: (id: string, ending: string) => string;
  private made = 0;

  constructor(now: () => number, fileUrl: (id: string, ending: string) => string) {
    this.now = now;
    this.fileUrl = fileUrl;
  }

  id(prefix: string): string {
    this.made += 1;
    return `${prefix}_${createHmac("sha256", "ids").update(String(this.made)).digest("hex").slice(0, 32)}`;
  }

  dated(object: string, prefix: string): Json {
    const at = moment(this.now());
    return { id: this.id(prefix), object, mode: "test", created_at: at, updated_at: at };
  }

  /** The rates of a shipment; without one, they have no ids. */
  rates(given: Json, shipment_id: string | null): Json[] {
    const { weight } = given["parcel"] as { weight: number };
    const abroad = isAbroad(given);
    const sold = services.filter(({ carrier }) => abroad === (carrier === "DhlExpressDefault"));
    return sold.map(({ carrier, service, cents, ounce, days }) => ({
      ...(shipment_id === null ? { object: "Rate" } : { ...this.dated("Rate", "rate"), shipment_id }),
      carrier,
      service,
      rate: decimal(cents + Math.ceil(ounce * weight)),
      currency: "USD",
      retail_rate: decimal(cents * 2),
      retail_currency: "USD",
      list_rate: decimal(cents * 2),
      list_currency: "USD",
      billing_type: "easypost",
      delivery_days: days,
      est_delivery_days: days,
      delivery_date: null,
      delivery_date_guaranteed: false,
      carrier_account_id: `ca_${carrier.toLowerCase()}`,
    }));
  }

  create(given: Json): Answered {
    const made = this.dated("Shipment", "shp");
    const id = String(made["id"]);
    this.shipments.set(id, {
      ...made,
      ...given,
      is_return: false,
      status: "unknown",
      tracking_code: null,
      tracker: null,
      insurance: null,
      messages: failing,
      rates: this.rates(given, id),
      selected_rate: null,
      postage_label: null,
      usps_zone: 8,
      refund_status: null,
      fees: [],
      forms: [],
      scan_form: null,
      order_id: null,
      batch_id: null,
      reference: given["reference"] ?? null,
      options: { label_format: "PNG", ...(given["options"] as Json) },
    });
    return done(this.shipments.get(id), 201);
  }

  buy(shipment: Json, given: { rate: { id: string }; insurance?: number | string }): Answered {
    const rate = (shipment["rates"] as Json[]).find(({ id }) => id === given.rate.id);
    if (shipment["postage_label"] !== null) return error(422, "SHIPMENT.POSTAGE.EXISTS", "Postage already exists.");
    if (rate === undefined) return notFound;
    for (const end of ["from_address", "to_address"]) {
      const { name, company, street1, city, country } = shipment[end] as Json;
      if ((name || company) && street1 && city && country) continue;
      return error(422, "SHIPMENT.INVALID_PARAMS", `Unable to buy: ${end} is incomplete.`);
    }
    if (isAbroad(shipment) && shipment["customs_info"] === undefined) {
      return error(422, "SHIPMENT.CUSTOMS_INFO.REQUIRED", "Customs info is required.");
    }
    const cents = Math.round(Number(rate["rate"]) * 100);
    const insured = given.insurance === undefined ? 0 : Math.max(100, Math.round(Number(given.insurance)));
    if (cents + insured > this.settings.balance_cents) {
      return error(402, "PAYMENT_REQUIRED", "The account balance is insufficient.");
    }
    this.settings.balance_cents -= cents + insured;
    this.sell(shipment, rate);
    const fee = (type: string, amount: number) => ({
      object: "Fee",
      type,
      amount: `${decimal(amount)}000`,
      charged: true,
    });
    const fees = [fee("LabelFee", 0), fee("PostageFee", cents), ...(insured > 0 ? [fee("InsuranceFee", insured)] : [])];
    return done(Object.assign(shipment, { fees, insurance: given.insurance ?? null }));
  }

  private sell(shipment: Json, rate: Json): void {
    const id = String(shipment["id"]);
    this.purchases.push({ shipment_id: id, rate_id: String(rate["id"]), reference: shipment["reference"] });
    const tracking_code = uspsNumber(this.purchases.length);
    const format = String((shipment["options"] as Json)["label_format"]).toLowerCase();
    const types: Record<string, string> = { pdf: "application/pdf", png: "image/png", zpl: "application/zpl" };
    const postage_label = {
      ...this.dated("PostageLabel", "pl"),
      label_size: "4x6",
      label_resolution: 300,
      label_type: "default",
      label_file_type: types[format],
      label_url: this.fileUrl(id, format),
      label_date: moment(this.now()),
      label_pdf_url: null,
      label_zpl_url: null,
      label_epl2_url: null,
    };
    const tracker = this.track(tracking_code, String(rate["carrier"]), id);
    Object.assign(shipment, { tracking_code, tracker, selected_rate: rate, postage_label });
  }

  refund(shipment: Json): Answered {
    if (shipment["postage_label"] === null || shipment["refund_status"] !== null) {
      return error(422, "SHIPMENT.REFUND.UNAVAILABLE", "A refund is not available.");
    }
    shipment["refund_status"] = this.settings.refund_status;
    this.refunds.push(String(shipment["id"]));
    return done(shipment);
  }

  label(shipment: Json, format: string): Answered {
    if (!["PDF", "PNG", "ZPL"].includes(format))
      return error(422, "SHIPMENT.POSTAGE.INVALID_FORMAT", "No such format.");
    if (shipment["postage_label"] === null) return error(422, "SHIPMENT.POSTAGE.REQUIRED", "There is no postage.");
    const ending = format.toLowerCase();
    Object.assign(shipment["postage_label"] as Json, {
      [`label_${ending}_url`]: this.fileUrl(String(shipment["id"]), ending),
    });
    return done(shipment);
  }

  /** The tracker of a number, created once. */
  track(tracking_code: string, carrier: string | null, shipment_id: string | null): Json {
    const id = this.id("trk");
    const tracker = this.trackers.get(tracking_code) ?? {
      id,
      object: "Tracker",
      mode: "test",
      tracking_code,
      carrier: carrier ?? "USPS",
      shipment_id,
      status: "unknown",
      status_detail: "unknown",
      signed_by: null,
      weight: null,
      est_delivery_date: null,
      tracking_details: [],
      carrier_detail: null,
      finalized: false,
      is_return: false,
      fees: [],
      public_url: `https://track.easypost.com/${id}`,
      created_at: moment(this.now()),
      updated_at: moment(this.now()),
    };
    this.trackers.set(tracking_code, tracker);
    return tracker;
  }

  follow({ tracking_code, carrier }: { tracking_code: string; carrier?: string | null }): Answered {
    if (carrier && !["USPS", "UPS", "FedEx", "DHLExpress"].includes(carrier)) {
      return error(422, "TRACKER.UNSUPPORTED_CARRIER", "The carrier is not supported.");
    }
    if (this.trackers.has(tracking_code) || /^(?:EZ[1-7]0{8}[1-7]|1Z\w{16}|\d{12,34})$/.test(tracking_code)) {
      return done(this.track(tracking_code, carrier ?? null, null), 201);
    }
    return error(422, "TRACKER.NO_CARRIER_FOR_CODE", "No carrier could be found for the code.");
  }

  verify(given: Json, verify: boolean): Answered {
    const found = verify && this.settings.verified && /^\d+ /.test(String(given["street1"]));
    const problem = { code: "E.ADDRESS.NOT_FOUND", field: "address", message: "Address not found", suggestion: null };
    const delivery = { success: found, errors: found ? [] : [problem], details: {} };
    const upper = (name: string) => ({ [name]: given[name] == null ? null : String(given[name]).toUpperCase() });
    const better = { ...upper("street1"), ...upper("city"), ...upper("name"), zip: `${given["zip"]}-1129` };
    return done(
      {
        ...this.dated("Address", "adr"),
        street2: null,
        company: null,
        name: null,
        ...given,
        residential: found ? true : null,
        ...(found && better),
        verifications: verify ? { delivery, zip4: delivery } : {},
      },
      201,
    );
  }
}

function isAbroad({ from_address, to_address }: Json): boolean {
  const country = (address: unknown) => (address as Json)["country"] ?? "US";
  return country(from_address) !== country(to_address);
}

/** Runs `work` on a body of this shape; unknown and missing fields are refused. */
function taking<Body>(schema: TSchema, { body, headers }: Asked, work: (given: Body) => Answered): Answered {
  const given = headers["content-type"]?.startsWith("application/json") ? objectOf(body) : null;
  if (given === null) return error(400, "BAD_REQUEST", "The body must be JSON.");
  const [problem] = Value.Errors(schema, given);
  if (problem === undefined) return work(given as Body);
  return error(422, "PARAMETER.INVALID", `${problem.path}: ${problem.message}`, [{ field: problem.path }]);
}

function read(customer: Customer, { path, query }: Asked, live: boolean): Answered {
  const [, noun, id = "", rest] = /^\/v2\/(shipments|trackers)\/(\w+)(?:\/(\w+))?$/.exec(path) ?? [];
  if (noun === "trackers") {
    const tracker = [...customer.trackers.values()].find((one) => one["id"] === id);
    return tracker === undefined ? notFound : done(tracker);
  }
  if (path === "/v2/carrier_accounts") {
    const words = "This resource requires a production API Key to access.";
    return live ? done(accounts) : error(403, "MODE.UNAUTHORIZED", words);
  }
  if (path === "/v2/metadata/carriers") {
    const named = query.get("carriers")?.split(",");
    if (query.get("types") !== "service_levels") return error(400, "PARAMETER.INVALID", "Too much is asked for.");
    return done({ carriers: metadata.filter(({ name }) => named?.includes(name) ?? true) });
  }
  const shipment = customer.shipments.get(id);
  if (shipment === undefined || (rest !== undefined && rest !== "label")) return notFound;
  return rest === "label" ? customer.label(shipment, query.get("file_format") ?? "") : done(shipment);
}

function change(customer: Customer, asked: Asked): Answered {
  const [, id = "", act] = /^\/v2\/shipments\/(\w+)\/(buy|refund)$/.exec(asked.path) ?? [];
  if (act !== undefined) {
    const shipment = customer.shipments.get(id);
    if (shipment === undefined) return notFound;
    if (act === "refund") return taking(bodies.nothing, asked, () => customer.refund(shipment));
    return taking<{ rate: { id: string } }>(bodies.buy, asked, (given) => customer.buy(shipment, given));
  }
  switch (asked.path) {
    case "/v2/shipments":
      return taking<{ shipment: Json }>(bodies.shipments, asked, ({ shipment }) => customer.create(shipment));
    case "/beta/rates":
      return taking<{ shipment: Json }>(bodies.shipments, asked, ({ shipment }) =>
        done({ rates: customer.rates(shipment, null), messages: failing }),
      );
    case "/v2/trackers":
      return taking<{ tracker: { tracking_code: string } }>(bodies.trackers, asked, ({ tracker }) =>
        customer.follow(tracker),
      );
    case "/v2/trackers/batch":
      return taking<{ tracking_codes: string[] }>(bodies.batch, asked, ({ tracking_codes }) =>
        done({ trackers: tracking_codes.flatMap((code) => customer.trackers.get(code) ?? []), has_more: false }),
      );
    case "/v2/addresses":
      return taking<{ address: Json; verify?: boolean }>(bodies.addresses, asked, ({ address, verify = false }) =>
        customer.verify(address, verify),
      );
    default:
      return notFound;
  }
}

/** Opens the API of one customer. A key that is not `live` may not list carrier accounts. */
export async function openEasyPost({ key = "EZTKmock_easypost_key", live = true, now = Date.now } = {}) {
  const right = `Basic ${Buffer.from(`${key}:`).toString("base64")}`;
  const customer = new Customer(now, (id, ending) => `${server.url}/files/${id}.${ending}`);
  const server = await openServer((asked) => {
    const { path, headers, method } = asked;
    const [, ending] = /^\/files\/\w+\.(pdf|png|zpl)$/.exec(path) ?? [];
    if (ending !== undefined) {
      // Labels are stored by a third party, who must not get the customer's key.
      return headers["authorization"] === undefined ? labelBytes(ending) : { status: 400, body: "no credentials here" };
    }
    if (headers["authorization"] !== right) return error(401, "APIKEY.INACTIVE", "This api key is no longer active.");
    if (method === "GET") return read(customer, asked, live);
    return method === "POST" ? change(customer, asked) : error(405, "METHOD_NOT_ALLOWED", "Method not allowed.");
  });
  const { shipments, trackers, purchases, refunds, settings } = customer;
  return {
    ...server,
    key,
    shipments,
    trackers,
    purchases,
    refunds,
    settings,
    /** Scans a parcel. An unknown one becomes the customer's. */
    scan(tracking_code: string, scan: Scan): void {
      Object.assign(customer.track(tracking_code, null, null), scanned(trackers.get(tracking_code), scan));
    },
    /** EasyPost's callback for a parcel as it is now; `fields` override fields of the event. */
    callback(tracking_code: string, { secret = "hush", fields = {} as Json, weighed = false } = {}) {
      const result = { ...trackers.get(tracking_code), ...(weighed && { weight: 136 }) };
      const event = { ...customer.dated("Event", "evt"), description: "tracker.updated", status: "pending", result };
      return signed(JSON.stringify({ ...event, previous_attributes: {}, ...fields }), secret);
    },
  };
}
export type EasyPostMock = Awaited<ReturnType<typeof openEasyPost>>;

/** The changes of a tracker by a scan, which may be older than another. */
function scanned(tracker: Json | undefined, { status, status_detail = "status_update", at, ...more }: Scan): Json {
  const { message = status, city = null, signed_by } = more;
  const tracking_location = { object: "TrackingLocation", city, state: null, country: null, zip: null };
  const detail = {
    object: "TrackingDetail",
    message,
    description: "",
    status,
    status_detail,
    datetime: moment(at),
    source: "USPS",
    carrier_code: "",
    tracking_location,
  };
  const tracking_details = [...((tracker?.["tracking_details"] as Json[]) ?? []), detail];
  tracking_details.sort((one, other) => String(one["datetime"]).localeCompare(String(other["datetime"])));
  const last = tracking_details.at(-1) ?? detail;
  const said = { tracking_details, status: last["status"], status_detail: last["status_detail"] };
  return signed_by === undefined ? said : { ...said, signed_by };
}

/** A signed callback. A whole weight is signed with a decimal point, which JSON drops. */
function signed(body: string, secret: string) {
  const exact = body.replace(/("weight":\d+)(?=[,}])/g, "$1.0");
  const signature = createHmac("sha256", secret.normalize("NFKD")).update(exact).digest("hex");
  return { body, headers: { "Content-Type": "application/json", "X-Hmac-Signature": `hmac-sha256-hex=${signature}` } };
}
