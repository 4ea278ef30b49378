// A mock of Shippo by its public documentation and official client. It refuses unknown input, and counts
// its sales. Unlike EasyPost it sells a rate any number of times.
import { createHmac } from "node:crypto";
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Answered, type Asked, type Json, objectOf, openServer } from "../../outbound/mock_server.ts";
import { uspsNumber } from "./easypost_mock.ts";
import { labelBytes } from "./label_bytes.ts";
import { bodies } from "./shippo_shapes.ts";

const done = (body: unknown, status = 200): Answered => ({ status, body });
const notFound = done({ detail: "Not found" }, 404);

/** The services of the mock, with cents per parcel and per ounce. */
const services = [
  { provider: "USPS", name: "Ground Advantage", token: "usps_ground_advantage", cents: 520, ounce: 7, days: 4 },
  { provider: "USPS", name: "Priority Mail", token: "usps_priority", cents: 710, ounce: 10, days: 2 },
  { provider: "UPS", name: "Ground", token: "ups_ground", cents: 880, ounce: 5, days: 3 },
  { provider: "DHL Express", name: "Worldwide", token: "dhl_express_worldwide", cents: 5100, ounce: 41, days: 4 },
] as const;
const messages = [{ source: "FedEx", code: "", text: "The account is not active." }];
const ounces: Readonly<Record<string, number>> = { oz: 1, lb: 16, g: 1 / 28.349523125, kg: 1000 / 28.349523125 };

/** A scan for the mock's `scan`. */
interface ShippoScan {
  readonly status: string;
  readonly substatus?: string;
  readonly action_required?: boolean;
  readonly at: number;
  readonly message?: string;
  readonly city?: string;
}

const decimal = (cents: number): string => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
const moment = (at: number): string => new Date(at).toISOString().replace(/\d*Z$/, "000Z");

/** The data of one Shippo customer. */
class Customer {
  readonly rates = new Map<string, Json>();
  readonly shipments = new Map<string, Json>();
  readonly transactions = new Map<string, Json>();
  readonly tracks = new Map<string, Json>();
  /** The paid rates, and the name of the shipment. */
  readonly purchases: { readonly rate: string; readonly metadata: unknown }[] = [];
  readonly refunds: string[] = [];
  /** The results of the next transactions and refunds, and whether addresses are found. */
  readonly settings = { transaction_status: "SUCCESS", refund_status: "PENDING", verified: true };
  private readonly now: () => number;
  private readonly fileUrl: (id: string, ending: string) => string;
  private made = 0;

  constructor(now: () => number, fileUrl: (id: string, ending: string) => string) {
    this.now = now;
    this.fileUrl = fileUrl;
  }

  dated(): Json {
    this.made += 1;
    const object_id = createHmac("sha256", "ids").update(String(this.made)).digest("hex").slice(0, 32);
    const [object_created, object_updated] = [moment(this.now()), moment(this.now())];
    return { object_id, object_created, object_updated, object_owner: "owner@warehouse.example", test: true };
  }

  create(given: Json): Answered {
    const {
      async,
      metadata = "",
      address_from,
      address_to,
      parcels,
      extra = {},
      customs_declaration: customs,
      ...rest
    } = given;
    const made = this.dated();
    const shipment = String(made["object_id"]);
    const [parcel] = parcels as Record<string, string>[];
    const weight = Number(parcel?.["weight"]) * (ounces[parcel?.["mass_unit"] ?? ""] ?? 1);
    const abroad = (address_from as Json)["country"] !== (address_to as Json)["country"];
    const insured = Number(((extra as Json)["insurance"] as Json | undefined)?.["amount"] ?? 0);
    const sold = services.filter(({ token }) => abroad === token.startsWith("dhl"));
    const rates = sold.map((service) => this.rate(service, { shipment, weight, insured }));
    for (const rate of rates) this.rates.set(String(rate["object_id"]), rate);
    const customs_declaration =
      customs === undefined ? null : { ...(customs as Json), ...this.dated(), items: ["item"] };
    const body = {
      ...made,
      ...rest,
      metadata,
      extra,
      customs_declaration,
      status: async === false ? "SUCCESS" : "QUEUED",
      address_from: { ...(address_from as Json), ...this.dated() },
      address_to: { ...(address_to as Json), ...this.dated() },
      parcels: [{ ...parcel, ...this.dated() }],
      carrier_accounts: [],
      messages,
      rates: async === false ? rates : [],
    };
    this.shipments.set(shipment, body);
    return done(body, 201);
  }

  private rate(service: (typeof services)[number], of: { shipment: string; weight: number; insured: number }): Json {
    const { provider, name, token, cents, ounce, days } = service;
    // Insurance costs 1.25 for each started hundred.
    const insurance = Math.ceil(of.insured / 100) * 125;
    const amount = decimal(cents + Math.ceil(Math.fround(ounce * of.weight)) + insurance);
    return {
      ...this.dated(),
      amount,
      currency: "USD",
      amount_local: amount,
      currency_local: "USD",
      provider,
      servicelevel: { name, token, terms: "", extended_token: token, parent_servicelevel: null },
      zone: "8",
      attributes: [],
      estimated_days: days,
      duration_terms: "",
      messages: [],
      shipment: of.shipment,
      arrives_by: null,
      carrier_account: `account_${provider.toLowerCase()}`,
      included_insurance_price: insurance > 0 ? decimal(insurance) : null,
    };
  }

  buy({
    rate: id,
    label_file_type = "PDF",
    metadata = "",
  }: {
    rate: string;
    label_file_type?: string;
    metadata?: string;
  }): Answered {
    const rate = this.rates.get(id);
    if (rate === undefined) return done({ rate: ["Rate not found."] }, 400);
    const shipment = this.shipments.get(String(rate["shipment"])) ?? {};
    const made = this.dated();
    const base = {
      ...made,
      object_state: "VALID",
      rate: id,
      metadata,
      label_file_type,
      eta: null,
      parcel: null,
      qr_code_url: null,
      label_url: null,
      commercial_invoice_url: null,
      tracking_number: "",
      tracking_url_provider: "",
      messages: [],
      tracking_status: "UNKNOWN",
      status: this.settings.transaction_status,
    };
    const wrong = problemOf(shipment);
    if (wrong !== null || base.status === "ERROR") {
      const said = { source: String(rate["provider"]), code: "", text: wrong ?? "The carrier refused the label." };
      return this.keep({ ...base, status: "ERROR", messages: [said] });
    }
    this.purchases.push({ rate: id, metadata: shipment["metadata"] });
    return base.status === "SUCCESS" ? this.keep({ ...base, ...this.sold(base) }) : this.keep(base);
  }

  private sold({ object_id, label_file_type, rate }: Json): Json {
    const id = String(object_id);
    const provider = String(this.rates.get(String(rate))?.["provider"] ?? "USPS");
    const tracking_number = uspsNumber(5_000_000 + this.purchases.length);
    const ending = { PNG: "png", ZPLII: "zpl" }[String(label_file_type)] ?? "pdf";
    this.track(provider.toLowerCase().replace(" ", "_"), tracking_number, id);
    return {
      tracking_number,
      label_url: this.fileUrl(id, ending),
      status: "SUCCESS",
      tracking_status: "UNKNOWN",
      tracking_url_provider: `https://tools.usps.com/go/TrackConfirmAction?tLabels=${tracking_number}`,
    };
  }

  private keep(transaction: Json): Answered {
    this.transactions.set(String(transaction["object_id"]), transaction);
    return done(transaction, 201);
  }

  /** Completes the queued transactions. */
  finish(): void {
    for (const transaction of this.transactions.values()) {
      if (!["QUEUED", "WAITING"].includes(String(transaction["status"]))) continue;
      Object.assign(transaction, this.sold(transaction));
    }
  }

  refund(id: string): Answered {
    const transaction = this.transactions.get(id);
    if (transaction === undefined) return done({ transaction: ["Transaction not found."] }, 400);
    if (transaction["status"] !== "SUCCESS") return done({ __all__: ["The transaction cannot be refunded."] }, 400);
    const { refund_status } = this.settings;
    this.refunds.push(id);
    transaction["status"] = { SUCCESS: "REFUNDED", ERROR: "REFUNDREJECTED" }[refund_status] ?? "REFUNDPENDING";
    return done({ ...this.dated(), transaction: id, status: refund_status }, 201);
  }

  list(query: URLSearchParams): Answered {
    const known = ["rate", "object_status", "tracking_status", "page", "results"];
    const unknown = [...query.keys()].find((name) => !known.includes(name));
    if (unknown !== undefined) return done({ [unknown]: ["Unknown parameter."] }, 400);
    const [rate, status] = [query.get("rate"), query.get("object_status")];
    const found = [...this.transactions.values()].filter(
      (one) => (rate === null || one["rate"] === rate) && (status === null || one["status"] === status),
    );
    return done({ next: null, previous: null, results: found.reverse() });
  }

  /** The tracking data of a number, which is tracked from now on. */
  track(carrier: string, tracking_number: string, transaction: string | null): Json {
    const name = `${carrier}/${tracking_number}`;
    const track = this.tracks.get(name) ?? {
      carrier,
      tracking_number,
      transaction,
      eta: null,
      original_eta: null,
      metadata: "",
      messages: [],
      address_from: null,
      address_to: null,
      servicelevel: null,
      tracking_status: null,
      tracking_history: [],
      test: true,
    };
    this.tracks.set(name, track);
    return track;
  }

  address({ validate, ...given }: Json): Answered {
    const is_valid = this.settings.verified && /^\d+ /.test(String(given["street1"]));
    const problem = {
      source: "Shippo Address Validator",
      code: "Address Not Found",
      type: "address_error",
      text: "The address was not found.",
    };
    const better = {
      ...given,
      street1: String(given["street1"]).toUpperCase(),
      zip: `${given["zip"]}-1129`,
      is_residential: true,
    };
    return done(
      {
        ...(validate === true && is_valid ? better : given),
        ...this.dated(),
        is_complete: true,
        validation_results: validate === true ? { is_valid, messages: is_valid ? [] : [problem] } : {},
      },
      201,
    );
  }
}

function problemOf({ address_from, address_to, customs_declaration }: Json): string | null {
  for (const address of [address_from, address_to] as Json[]) {
    if (!(address["name"] && address["street1"] && address["city"])) return "The address is incomplete.";
  }
  const abroad = (address_from as Json)["country"] !== (address_to as Json)["country"];
  return abroad && customs_declaration === null ? "A customs declaration is required." : null;
}

/** Runs `work` on a body of this shape; unknown and missing fields are refused. */
function taking<Body>(schema: TSchema, { body, headers }: Asked, work: (given: Body) => Answered): Answered {
  const given = headers["content-type"]?.startsWith("application/json") ? objectOf(body) : null;
  if (given === null) return done({ detail: "JSON parse error" }, 400);
  const [problem] = Value.Errors(schema, given);
  return problem === undefined ? work(given as Body) : done({ [problem.path.slice(1)]: [problem.message] }, 400);
}

function read(customer: Customer, path: string, { query }: Asked): Answered {
  const [, noun = "", id = "", number] = /^\/(\w+)(?:\/(\w+))?(?:\/(\w+))?$/.exec(path) ?? [];
  if (noun === "transactions" && id === "") return customer.list(query);
  if (noun === "carrier_accounts") return listAccounts(query);
  if (noun === "tracks" && number !== undefined) {
    if (!/^(?:usps|ups|dhl_express|shippo)$/.test(id)) return done({ detail: "Carrier not found" }, 404);
    return done(customer.track(id, number, null));
  }
  const found = { transactions: customer.transactions, shipments: customer.shipments, rates: customer.rates }[noun];
  const one = found?.get(id);
  return one === undefined ? notFound : done(one);
}

function listAccounts(query: URLSearchParams): Answered {
  const page = Number(query.get("page") ?? 1);
  const size = Number(query.get("results") ?? 5);
  const all = ["USPS", "UPS", "DHL Express", "FedEx"].map((carrier_name, index) => ({
    object_id: `account${index}`,
    object_owner: "owner@warehouse.example",
    account_id: `a${index}`,
    carrier_name,
    carrier: carrier_name.toLowerCase().replace(" ", "_"),
    active: carrier_name !== "FedEx",
    parameters: {},
    is_shippo_account: true,
    metadata: "",
    test: true,
    object_info: null,
    ...(query.get("service_levels") === "true" && {
      service_levels: services
        .filter(({ provider }) => provider === carrier_name)
        .map(({ name, token }) => ({ name, token, supports_return_labels: true })),
    }),
  }));
  const results = all.slice((page - 1) * size, page * size);
  const next = all.length > page * size ? `baseurl?page=${page + 1}&results=${size}` : null;
  return done({ next, previous: null, results });
}

function change(customer: Customer, path: string, asked: Asked): Answered {
  switch (path) {
    case "/shipments":
      return taking<Json>(bodies.shipments, asked, (given) => customer.create(given));
    case "/transactions":
      return taking<{ rate: string }>(bodies.transactions, asked, (given) => customer.buy(given));
    case "/refunds":
      return taking<{ transaction: string }>(bodies.refunds, asked, ({ transaction }) => customer.refund(transaction));
    case "/tracks":
      return taking<{ carrier: string; tracking_number: string }>(
        bodies.tracks,
        asked,
        ({ carrier, tracking_number }) => done(customer.track(carrier, tracking_number, null)),
      );
    case "/addresses":
      return taking<Json>(bodies.addresses, asked, (given) => customer.address(given));
    default:
      return notFound;
  }
}

/** Opens the API of one customer. */
export async function openShippo({ key = "shippo_test_mock_token", now = Date.now } = {}) {
  const customer = new Customer(now, (id, ending) => `${server.url}/files/${id}.${ending}`);
  const server = await openServer((asked) => {
    const { headers, method } = asked;
    const [, ending] = /^\/files\/\w+\.(pdf|png|zpl)$/.exec(asked.path) ?? [];
    if (ending !== undefined) {
      // Labels are stored by a third party, who must not get the customer's token.
      return headers["authorization"] === undefined ? labelBytes(ending) : { status: 400, body: "no credentials here" };
    }
    if (headers["authorization"] !== `ShippoToken ${key}`) return done({ detail: "Token does not exist" }, 401);
    const version = headers["shippo-api-version"] ?? "2018-02-08";
    if (version !== "2018-02-08") return done({ detail: "Unknown API version" }, 400);
    const path = asked.path.replace(/\/$/, "");
    return method === "GET" ? read(customer, path, asked) : change(customer, path, asked);
  });
  const { shipments, transactions, tracks, purchases, refunds, settings } = customer;
  return {
    ...server,
    key,
    shipments,
    transactions,
    tracks,
    purchases,
    refunds,
    settings,
    /** Completes the queued transactions. */
    finish: () => customer.finish(),
    /** Scans a parcel. An unknown one is tracked from now on. */
    scan(carrier: string, tracking_number: string, scan: ShippoScan): void {
      const track = customer.track(carrier, tracking_number, null);
      const seen = { ...customer.dated(), ...seenAs(scan) };
      const tracking_history = [...(track["tracking_history"] as Json[]), seen];
      tracking_history.sort((one, other) => String(one["status_date"]).localeCompare(String(other["status_date"])));
      Object.assign(track, { tracking_history, tracking_status: tracking_history.at(-1) });
    },
    /** Shippo's callback for a parcel as it is now, unsigned without a secret. */
    callback(
      carrier: string,
      tracking_number: string,
      { secret = "hush" as string | null, at = now(), fields = {} } = {},
    ) {
      const data = customer.track(carrier, tracking_number, null);
      const body = JSON.stringify({ event: "track_updated", test: true, data, carrier, ...fields });
      const seconds = Math.floor(at / 1000);
      const signature = secret && createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
      const proof = signature ? { "Shippo-Auth-Signature": `t=${seconds},v1=${signature}` } : {};
      return { body, headers: { "Content-Type": "application/json", ...proof } as Record<string, string> };
    },
  };
}
export type ShippoMock = Awaited<ReturnType<typeof openShippo>>;

function seenAs({
  status,
  substatus,
  action_required = false,
  at,
  message = status,
  city = "Chicago",
}: ShippoScan): Json {
  return {
    status,
    status_details: message,
    status_date: new Date(at).toISOString(),
    substatus: substatus === undefined ? null : { code: substatus, text: message, action_required },
    location: { city, state: "IL", zip: "60601", country: "US" },
  };
}
