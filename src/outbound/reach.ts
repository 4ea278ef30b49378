// Checks whether a URL's host accepts connections, without sending a request.
import { type LookupAddress, lookup } from "node:dns";
import { connect, type LookupFunction } from "node:net";
import { connect as connectSecurely } from "node:tls";
import type { AddressPolicy } from "./destination.ts";
import { bareHost, isBlocked, notPublic, portOf } from "./destination.ts";
import { createOutbound } from "./outbound.ts";

/** Connects to a URL's host, with TLS for https. Returns null, or why it cannot be called. */
export async function unreachable(text: string, policy: AddressPolicy, wait_ms: number): Promise<string | null> {
  const deadlines = { connect_ms: wait_ms, headers_ms: wait_ms, body_ms: wait_ms };
  const outbound = createOutbound({ policy, deadlines });
  const refused = await outbound.problem(text);
  outbound.close();
  if (refused !== null) return refused.message;
  const url = new URL(text);
  const host = bareHost(url.hostname);
  return await new Promise((resolve) => {
    const secure = url.protocol === "https:";
    const place = { host, port: portOf(url), lookup: allowedBy(policy, url.hostname) };
    const socket = secure ? connectSecurely({ ...place, servername: host }) : connect(place);
    const end = (reason: string | null) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reason);
    };
    const timer = setTimeout(() => end(`no connection within ${wait_ms / 1000} seconds`), wait_ms);
    socket.once(secure ? "secureConnect" : "connect", () => end(null));
    socket.once("error", (error: Error & { code?: string }) => end(error.code ?? error.message));
  });
}

/** A lookup that returns only addresses that may be called, because a name may have changed since it was checked. */
function allowedBy(policy: AddressPolicy, hostname: string): LookupFunction {
  return (name, options, done) => {
    lookup(name, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) return done(error ?? new Error("no address"), "", 4);
      if (addresses.some(({ address }) => isBlocked(address, hostname, policy)))
        return done(new Error(notPublic(policy).message), "", 4);
      if (options.all) return done(null, addresses);
      return done(null, first.address, first.family);
    });
  };
}
