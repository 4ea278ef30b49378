// A mock of Karrio by its public reference. It refuses unknown input, and counts its sales.
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Answered, type Asked, type Json, objectOf, openServer } from "../../outbound/mock_server.ts";
import { bodies } from "./karrio_shapes.ts";
import { labelBytes, labelFiles } from "./label_bytes.ts";

const errors = (status: number, code: string, message: string, details?: unknown): Answered => ({
  status,
  body: { errors: [{ code, message, ...(details !== undefined && { details }) }] },
});
const notFound = errors(404, "not_found", "No match found for the given query.");
const done = (body: unknown, status = 200): Answered => ({ status, body });

/** The services of the mock: prices per parcel and per pound, as Karrio writes numbers. */
const services = [
  { carrier_name: "usps", service: "usps_ground_advantage", charge: 5.12, pound: 1.1, days: 3 },
  { carrier_name: "usps", service: "usps_priority_mail", charge: 7.35, pound: 1.5, days: 2 },
  { carrier_name: "canadapost", service: "canadapost_expedited_parcel_usa", charge: 21.05, pound: 3, days: null },
] as const;

const connection = (carrier_name: string, more: Json = {}) => ({
  id: `car_${carrier_name}`,
  object_type: "carrier-connection",
  carrier_name,
  display_name: carrier_name,
  carrier_id: `${carrier_name}_account`,
  active: true,
  test_mode: true,
  is_system: false,
  metadata: {},
  capabilities: ["rating", "shipping", "tracking"],
  credentials: { password: "of the carrier" },
  config: {},
  ...more,
});
const carriers: Readonly<Record<string, Json>> = {
  usps: {
    carrier_name: "usps",
    display_name: "USPS",
    integration_status: "production-ready",
    shipping_services: { usps_ground_advantage: "USPS_GROUND_ADVANTAGE", usps_priority_mail: "PRIORITY_MAIL" },
  },
  canadapost: {
    carrier_name: "canadapost",
    display_name: "Canada Post",
    integration_status: "production-ready",
    shipping_services: { canadapost_expedited_parcel_usa: "USA.EP" },
  },
};

const in_pounds: Readonly<Record<string, number>> = { LB: 1, OZ: 1 / 16, KG: 2.2046, G: 0.0022046 };

/** A scan for the mock's `scan`, and the tracker's resulting status. */
export interface Scan {
  readonly status: string;
  readonly date: string;
  readonly time: string;
  readonly description: string;
  readonly code?: string;
  readonly location?: string;
}

/** The data of one Karrio installation. */
class House {
  readonly shipments = new Map<string, Json>();
  readonly trackers = new Map<string, Json>();
  /** The rate of each bought label. */
  readonly purchases: string[] = [];
  /** The carriers' messages instead of a sale, the mode of the key, and whether documents are included. */
  readonly settings = { refused: null as string | null, test_mode: true, sends_papers: false, cancels_once: false };
  private made = 0;

  id(prefix: string): string {
    this.made += 1;
    return `${prefix}_${String(this.made).padStart(32, "0")}`;
  }

  rates(given: Json): Json[] {
    const [parcel = {}] = given["parcels"] as Json[];
    const pounds = Number(parcel["weight"]) * (in_pounds[String(parcel["weight_unit"])] ?? Number.NaN);
    const { insurance } = given["options"] as Json;
    return services.map(({ carrier_name, service, charge, pound, days }) => {
      const [base, fuel] = [Math.round((charge + Math.ceil(pounds) * pound) * 100), 37];
      const insured = insurance === undefined ? 0 : 250;
      const extra = (name: string, cents: number) => ({ name, amount: cents / 100, currency: "USD", id: null });
      return {
        id: this.id("rat"),
        object_type: "rate",
        carrier_name,
        carrier_id: `${carrier_name}_account`,
        service,
        currency: "USD",
        total_charge: (base + fuel + insured) / 100,
        transit_days: days,
        extra_charges: [
          extra("Base charge", base),
          extra("Fuel surcharge", fuel),
          ...(insured === 0 ? [] : [extra("Insurance", insured)]),
        ],
        estimated_delivery: days === null ? null : "2026-11-23",
        test_mode: this.settings.test_mode,
        meta: { service_name: service.toUpperCase().replaceAll("_", " "), carrier: carrier_name },
      };
    });
  }

  /** The message of a failing carrier among the rates of the others. */
  messages() {
    return [{ carrier_name: "fedex", carrier_id: "fedex_account", code: "SHIP.1", message: "The account is closed." }];
  }

  draft(given: Json): Answered {
    if (this.settings.refused !== null) return this.refuse(this.settings.refused);
    const shipment = {
      id: this.id("shp"),
      object_type: "shipment",
      status: "draft",
      ...given,
      rates: this.rates(given),
      messages: this.messages(),
      tracking_number: null,
      shipment_identifier: null,
      tracking_url: null,
      selected_rate: null,
      selected_rate_id: null,
      tracker_id: null,
      label_url: null,
      invoice_url: null,
      carrier_name: null,
      carrier_id: null,
      service: null,
      test_mode: this.settings.test_mode,
      metadata: {},
    };
    this.shipments.set(shipment.id, shipment);
    return done(shipment, 201);
  }

  private refuse(message: string): Answered {
    return { status: 424, body: { messages: [{ ...this.messages()[0], message }] } };
  }

  purchase(shipment: Json, given: Json): Answered {
    const { status, rates, customs, shipper, recipient } = shipment;
    if (status !== "draft") {
      return errors(409, "state_error", `The shipment is '${status}' and cannot be purchased again`);
    }
    const rate = (rates as Json[]).find(({ id }) => id === given["selected_rate_id"]);
    if (rate === undefined) return errors(400, "validation_error", "Invalid selected_rate_id");
    if (this.settings.refused !== null) return this.refuse(this.settings.refused);
    for (const end of [shipper, recipient] as Json[]) {
      const lacking = ["postal_code", "city", "person_name", "address_line1"].filter((field) => !end[field]);
      if (lacking.length > 0) return errors(400, "validation", "", { [lacking[0] ?? ""]: ["This field is required."] });
    }
    const abroad = (shipper as Json)["country_code"] !== (recipient as Json)["country_code"];
    if (abroad && customs === undefined) return this.refuse("A customs declaration is required.");
    this.purchases.push(String(rate["id"]));
    const tracking_number = `KR${String(this.purchases.length).padStart(12, "0")}`;
    const tracker = this.track(tracking_number, String(rate["carrier_name"]));
    const ending = String(given["label_type"]).toLowerCase();
    Object.assign(shipment, {
      status: "purchased",
      tracking_number,
      shipment_identifier: tracking_number,
      tracker_id: tracker["id"],
      selected_rate: rate,
      selected_rate_id: rate["id"],
      service: rate["service"],
      label_type: given["label_type"],
      tracking_url: `/v1/trackers/${rate["carrier_name"]}/${tracking_number}`,
      // Whether it is an absolute URL depends on Karrio's settings.
      label_url: `/v1/shipments/${shipment["id"]}/label.${ending}`,
      invoice_url: abroad ? `/v1/shipments/${shipment["id"]}/invoice.pdf` : null,
    });
    const base64 = Buffer.from(labelFiles[ending]?.bytes ?? []).toString("base64");
    const papers = { shipping_documents: [{ category: "label", format: given["label_type"], base64, url: null }] };
    return done({ ...shipment, ...(this.settings.sends_papers && papers) });
  }

  cancel(shipment: Json): Answered {
    const { status } = shipment;
    if (status === "cancelled" && !this.settings.cancels_once) return done(shipment, 202);
    if (status !== "draft" && status !== "purchased") {
      return errors(409, "state_error", `The shipment is '${status}' and can not be cancelled anymore...`);
    }
    if (this.settings.refused !== null) return this.refuse(this.settings.refused);
    return done(Object.assign(shipment, { status: "cancelled" }));
  }

  /** The tracker of a number, created once. */
  track(tracking_number: string, carrier_name: string): Json {
    const tracker = this.trackers.get(tracking_number) ?? {
      id: this.id("trk"),
      object_type: "tracker",
      carrier_name,
      carrier_id: `${carrier_name}_account`,
      tracking_number,
      info: {},
      events: [],
      delivered: false,
      test_mode: true,
      status: "pending",
      estimated_delivery: null,
      meta: {},
      metadata: {},
      messages: [],
      delivery_image_url: null,
      signature_image_url: null,
    };
    this.trackers.set(tracking_number, tracker);
    return tracker;
  }
}

/** Runs `work` on a body of this shape; unknown and missing fields are refused. */
function taking(schema: TSchema, { body, headers }: Asked, work: (given: Json) => Answered): Answered {
  const given = headers["content-type"]?.startsWith("application/json") ? objectOf(body) : null;
  if (given === null) return errors(415, "unsupported_media_type", "The body must be JSON.");
  const [problem] = Value.Errors(schema, given);
  if (problem === undefined) return work(given);
  return errors(400, "validation", "", { [problem.path]: [problem.message] });
}

function read(house: House, { path, query }: Asked): Answered {
  const [, noun, id = ""] = /^\/v1\/(shipments|trackers|carriers)\/([\w-]+)$/.exec(path) ?? [];
  if (path === "/v1/connections" && query.get("active") === "true") {
    const { test_mode } = house.settings;
    const results = [connection("usps", { test_mode }), connection("canadapost"), connection("usps", { id: "car_2" })];
    return done({ count: 4, next: null, previous: null, results: [...results, connection("ups", { active: false })] });
  }
  const found = noun === "carriers" ? carriers[id] : house[noun === "trackers" ? "trackers" : "shipments"].get(id);
  return noun === undefined || found === undefined ? notFound : done(found);
}

function change(house: House, asked: Asked): Answered {
  const { path, query, body } = asked;
  const [, id = "", act] = /^\/v1\/shipments\/(\w+)\/(purchase|cancel)$/.exec(path) ?? [];
  if (act !== undefined) {
    const shipment = house.shipments.get(id);
    if (shipment === undefined) return notFound;
    if (act === "purchase") return taking(bodies.purchase, asked, (given) => house.purchase(shipment, given));
    return body === "" ? house.cancel(shipment) : errors(400, "validation", "There must be no body.");
  }
  switch (path) {
    case "/v1/shipments":
      return taking(bodies.shipments, asked, (given) => house.draft(given));
    case "/v1/proxy/rates":
      return taking(bodies.rates, asked, (given) => done({ messages: house.messages(), rates: house.rates(given) }));
    case "/v1/trackers":
      return taking(bodies.trackers, asked, ({ tracking_number, carrier_name }) => {
        if (carriers[String(carrier_name)] === undefined) return notFound;
        if (query.get("pending_pickup") !== "true") return errors(424, "not_found", "The carrier knows nothing of it.");
        return done(house.track(String(tracking_number), String(carrier_name)), 202);
      });
    default:
      return notFound;
  }
}

/** Opens a Karrio installation. */
export async function openKarrio({ key = "key_mock_of_karrio" } = {}) {
  const house = new House();
  const server = await openServer((asked) => {
    const { path, headers, method } = asked;
    const [, ending] = /^\/v1\/shipments\/\w+\/(?:label|invoice)\.(pdf|png|zpl)$/.exec(path) ?? [];
    if (ending !== undefined) return labelBytes(ending);
    if (headers["authorization"] !== `Token ${key}`) return errors(401, "authentication_failed", "Invalid token.");
    if (method === "GET") return read(house, asked);
    return method === "POST" ? change(house, asked) : errors(405, "method_not_allowed", "Method not allowed.");
  });
  const { shipments, trackers, purchases, settings } = house;
  return {
    ...server,
    key,
    shipments,
    trackers,
    purchases,
    settings,
    /** Makes a carrier scan a parcel. */
    scan(tracking_number: string, { status, ...event }: Scan) {
      const tracker = trackers.get(tracking_number) ?? {};
      Object.assign(tracker, { status, events: [event, ...((tracker["events"] ?? []) as Json[])] });
    },
    /** The callback for a tracker as it is now. */
    callback(tracking_number: string, { secret = "hush", event = "tracker_updated" } = {}) {
      const body = JSON.stringify({ event, data: trackers.get(tracking_number) });
      return { body, headers: { "Content-Type": "application/json", "X-Event-Id": secret } };
    },
  };
}
export type KarrioMock = Awaited<ReturnType<typeof openKarrio>>;
