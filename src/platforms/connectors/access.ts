import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { systemClock } from "../../kit/clock.ts";
import { credentialsOf } from "../connections/connection.ts";
import type { Access, Connection } from "../platform.ts";
import { apiOf } from "./api.ts";

const realTime = systemClock();

/** All that a connector needs to call the API of a connected store, which knows no time but the real one. */
export function accessTo(connection: Connection, store: Store, service: Service): Access {
  const { mode, clock } = store;
  const credentials = credentialsOf(connection, service.secret_key, clock.now());
  const now = mode === "live" ? clock.now() : realTime.now();
  return { connection, credentials, api: apiOf(service, mode), now };
}

/** The secrets of a call, which no message may hold. */
export function secretsOf({ credentials }: Access): (string | null)[] {
  const { api_key, api_token, client_secrets } = credentials;
  return [api_key, api_token, ...client_secrets];
}
