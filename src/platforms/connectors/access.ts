import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { systemClock } from "../../kit/clock.ts";
import { apiOf } from "../../outbound/caller.ts";
import { credentialsOf } from "../connections/connection.ts";
import type { StoreConnection } from "../platform.ts";
import { platform } from "./asking.ts";
import type { Access } from "./connector.ts";

const realTime = systemClock();

const chooserOf = ({ is_operator_address }: StoreConnection) => (is_operator_address ? "operator" : "merchant");

/** All that a connector needs to call the API of a connected store. Platforms use real time, in the sandbox too. */
export function accessTo(connection: StoreConnection, store: Store, service: Service): Access {
  const { mode, clock } = store;
  const credentials = credentialsOf(connection, service.secret_key, clock.now());
  const now = mode === "live" ? clock.now() : realTime.now();
  return { connection, credentials, api: apiOf(service, mode, chooserOf(connection), platform), now };
}
