// The context that a connector needs to call a mock.

import { systemClock } from "../../../src/core/clock.ts";
import { Fault } from "../../../src/core/faults.ts";
import { hour_ms } from "../../../src/core/time.ts";
import { createApi } from "../../../src/outbound/caller.ts";
import { default_ports, ranges } from "../../../src/outbound/destination.ts";
import { createOutbound } from "../../../src/outbound/outbound.ts";
import { platform } from "../../../src/platforms/connectors/call_platform.ts";
import type { PlatformAccess } from "../../../src/platforms/connectors/connector.ts";
import type { PlatformInbound, ShipmentReport } from "../../../src/platforms/platform.ts";

export const at = Date.parse("2026-11-20T09:30:00.000Z");

const clock = systemClock();

/** A caller of servers on this machine with this timeout. `close` closes its connections. */
export function openCaller(headers_ms = 15_000) {
  const policy = {
    mode: "test",
    chosen_by: "operator",
    loopback_receivers: true,
    ports: default_ports,
    openings: ranges([]),
  } as const;
  const outbound = createOutbound({ policy, deadlines: { connect_ms: 15_000, headers_ms, body_ms: 15_000 } });
  const api = createApi(outbound, platform);
  return {
    api,
    close: () => outbound.close(),
    to: (
      api_url: string,
      store_id: string,
      api_token: string | null,
      api_key: string | null = null,
    ): PlatformAccess => ({
      connection: { id: 1, store_id, api_url },
      credentials: { api_key, api_token, client_id: null, client_secrets: [] },
      tokenFor: async (_refused, request) => (await request()).token,
      api,
      now: clock.now(),
    }),
  };
}

export const inbound = ({ body, headers }: { body: string; headers: Record<string, string> }): PlatformInbound => ({
  headers: new Headers(headers),
  raw: body,
});

/** A parcel as the job reports it. */
export const parcel = (
  external_order_id: number,
  lines: readonly (readonly [external_id: number, quantity: number])[],
  more: Partial<ShipmentReport> = {},
): ShipmentReport => ({
  shipment_id: "shp_1001",
  external_order_id: String(external_order_id),
  carrier: "UPS",
  service: "Ground",
  lines: lines.map(([external_id, quantity]) => ({ external_id: String(external_id), quantity })),
  tracking_number: "1Z999AA10123456784",
  tracking_url: "https://track.example/1Z999AA10123456784",
  shipped_at: at + hour_ms,
  collected: false,
  last: true,
  ...more,
});

interface Refusal {
  readonly message: string;
  readonly [fact: string]: unknown;
}

/** The facts of a `platform_error`. Any other error fails the test. */
export async function refusal(work: Promise<unknown>): Promise<Refusal> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Fault) || error.code !== "platform_error") throw new Error(`no platform_error: ${error}`);
  return { message: error.message, ...error.facts };
}
