// Addresses that an attacker might try, in all their spellings, and a target that none of them may reach.
import * as net from "node:net";

/** A target that must not be reached. Counts all connections on loopback, over IPv4 and, if available, IPv6. */
export async function openTarget() {
  let connections = 0;
  const servers: net.Server[] = [];
  let port = 0;
  for (const host of ["127.0.0.1", "::1", "0.0.0.0"]) {
    const server = net.createServer((socket) => {
      connections += 1;
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
    const listening = new Promise<boolean>((done) => {
      server.once("listening", () => done(true));
      server.once("error", () => done(false));
    });
    server.listen(port, host);
    if (!(await listening)) continue;
    servers.push(server);
    port = (server.address() as net.AddressInfo).port;
  }
  const close = () => {
    for (const server of servers) server.close();
  };
  return { port, count: () => connections, close };
}

/** The spellings of an IPv4 address. */
function spellings(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const octal = (part: number) => `0${part.toString(8)}`;
  const hex = (part: number) => `0x${part.toString(16)}`;
  const pair = (high: number, low: number) => (high * 256 + low).toString(16);
  return [
    ...[address, `${address}.`, String(whole), hex(whole), octal(whole), `${a}.${whole % 2 ** 24}`],
    ...[`${a}.${b}.${c * 256 + d}`, [a, b, c, d].map(octal).join("."), [a, b, c, d].map(hex).join(".")],
    ...[`${hex(a)}.${b}.${octal(c)}.${d}`, address.replaceAll(".", "。"), address.replaceAll(".", "%2e")],
    ...[address.replace(/1/g, "①"), `[::ffff:${address}]`, `[::${address}]`, `[::ffff:0:${address}]`],
    ...[`[0:0:0:0:0:ffff:${pair(a, b)}:${pair(c, d)}]`, `[64:ff9b::${address}]`, `[64:ff9b:1::${address}]`],
    ...[`[2002:${pair(a, b)}:${pair(c, d)}::1]`, `user@${address}`],
  ];
}

const inner = ["127.0.0.1", "0.0.0.0", "10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "100.64.0.1"];
const more = [
  ...["localhost", "LOCALHOST", "localhost.", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[fe80::1]", "[fc00::1]", "0"],
  ...["[fd00:ec2::254]", "[ff02::1]", "[100::1]", "[2001:db8::1]", "[2001::1]", "[3fff::1]", "[5f00::1]", "127.1"],
  ...["127.255.255.254", "198.18.0.1", "192.0.0.170", "192.88.99.1", "224.0.0.1", "255.255.255.255", "240.0.0.1"],
];
/** More than 150 hosts, none of them public. */
export const hosts = [...new Set([...inner.flatMap(spellings), ...more])];
