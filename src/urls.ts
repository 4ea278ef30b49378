// Where a service that listens can be opened.
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

type Interfaces = NodeJS.Dict<Pick<NetworkInterfaceInfo, "address" | "family" | "internal">[]>;

/** The addresses by which a service that listens on a host can be opened, that of this machine itself first. */
export function addressesOf(
  host: string,
  port: number,
  scheme: "http" | "https" = "http",
  machine: Interfaces = networkInterfaces(),
): string[] {
  return hostsOf(host, machine).map((name) => `${scheme}://${name.includes(":") ? `[${name}]` : name}:${port}`);
}

/** The names by which a service that listens on a host can be reached, that of this machine itself first. */
export function hostsOf(host: string, machine: Interfaces): string[] {
  const all = host === "0.0.0.0" || host === "::";
  if (!all) return [host];
  const outer = Object.values(machine).flatMap((found) => found ?? []);
  // Of IPv6, what begins with fe80 is reached only by who names a network card as well.
  const open = outer.filter(({ address, family, internal }) => {
    return !internal && (family === "IPv4" || (host === "::" && !address.startsWith("fe80:")));
  });
  return ["127.0.0.1", ...open.map(({ address }) => address)];
}
