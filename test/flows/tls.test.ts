// TLS: with the built-in certificate authority, with the operator's files, and what users may do over it.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import type { StartedService } from "../../scripts/service.ts";
import { type CertificateAuthority, localNames, makeAuthority, makeCertificate } from "../../src/core/certificates.ts";
import { UsageError } from "../../src/core/config.ts";
import { openLog } from "../../src/core/log.ts";
import { day_ms } from "../../src/core/time.ts";
import { openTls, readTls } from "../../src/server/tls.ts";
import { startFreshService } from "./service.ts";

const now = Date.now();
let folder: string;
let authority: CertificateAuthority;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "packhouse-tls-"));
  authority = await makeAuthority("A test", localNames, now);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const password = "correct horse battery staple";
const owner = { name: "Ada", email: "ada@example.com", password };

/** Creates the first user as if from another machine, with the link that the start printed. */
async function setUp({ url, output }: StartedService, ca?: string) {
  const token = /\/dashboard\/setup#([\w-]+)/.exec(output)?.[1];
  const headers = { host: "packhouse.local", "content-type": "application/json" };
  const body = JSON.stringify({ token, ...owner });
  const answer = await fetch(`${url}/dashboard/api/setup`, {
    method: "POST",
    headers,
    body,
    ...(ca && { tls: { ca } }),
  });
  const { error } = (await answer.json()) as { error?: { code: string } };
  return { status: answer.status, code: error?.code, cookie: answer.headers.get("set-cookie") ?? "" };
}

/** The fingerprint of the certificate that a server presents to clients that trust an authority. */
const shownBy = (url: string, ca: string) => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), ca }, () => {
    resolve(socket.getPeerCertificate().fingerprint256);
    socket.destroy();
  });
  socket.once("error", reject);
  return promise;
};

describe("the built-in authority", () => {
  test("is created once, and lets users sign in from other machines", async () => {
    const env = { PACKHOUSE_TLS: "self" };
    const service = await startFreshService({ env });
    const own = join(service.data, "tls");
    const files = () => readdirSync(own).map((name) => [name, readFileSync(join(own, name), "utf8")]);
    const kept = files();
    const ca = readFileSync(join(own, "authority.crt"), "utf8");
    const fingerprint = new X509Certificate(ca).fingerprint256;
    expect(service.url).toStartWith("https://127.0.0.1:");
    expect(service.output).toContain(`${service.url}/trust`);
    expect(service.output).toContain(fingerprint);
    expect(readdirSync(own).map((name) => (statSync(join(own, name)).mode & 0o777).toString(8))).toEqual(
      kept.map(() => "600"),
    );
    expect(statSync(own).mode & 0o777).toBe(0o700);

    const ask = (path: string, tls: object) => fetch(`${service.url}${path}`, { tls });
    expect(ask("/health", {})).rejects.toThrow(/certificate/);
    expect((await ask("/health", { ca })).status).toBe(200);
    const page = await ask("/trust", { ca });
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(await page.text()).toContain(fingerprint);
    const download = await ask("/trust/authority.crt", { ca });
    expect(download.headers.get("content-type")).toBe("application/x-x509-ca-cert");
    expect(await download.text()).toBe(ca);

    const server = new X509Certificate(readFileSync(join(own, "server.pem"), "utf8"));
    expect([server.checkHost("localhost"), server.checkHost(hostname().toLowerCase())]).not.toContain(undefined);
    expect(Date.parse(server.validTo) - Date.parse(server.validFrom)).toBeLessThanOrEqual(397 * day_ms);
    const made = await setUp(service, ca);
    expect([made.status, made.code]).toEqual([201, undefined]);
    expect(made.cookie).toMatch(/^__Host-sid=[\w-]{43}; Path=\/; HttpOnly; (?=.*Secure)/);

    expect(await service.stop()).toBe(0);
    const { data, database_url } = service;
    const again = await startFreshService({ data, database_url, env });
    expect(files()).toEqual(kept);
    expect((await fetch(`${again.url}/health`, { tls: { ca } })).status).toBe(200);
    await again.remove();
  }, 60_000);

  test("without it nobody can sign in from other machines, and there is no certificate to trust", async () => {
    const service = await startFreshService();
    expect((await setUp(service)).code).toBe("insecure_connection");
    expect((await fetch(`${service.url}/trust`)).status).toBe(404);
    await service.remove();
  }, 60_000);

  test("stays while its certificates are renewed, and is replaced when it expires", async () => {
    const data = join(folder, "own");
    const time = { now };
    const log = openLog({ level: "error", format: "json", write: () => {} });
    const open = async (host = "127.0.0.1") => {
      const tls = await openTls("self", { host, data, log, now: () => time.now });
      if (tls === null) throw new Error("There is no TLS.");
      return tls;
    };
    const first = await open();
    expect(await first.check()).toBeNull();
    time.now += 360 * day_ms;
    expect(await first.check()).toBeNull();
    time.now += 8 * day_ms;
    const renewed = await first.check();
    expect(renewed).not.toBeNull();
    expect(await first.check()).toBeNull();
    expect((await open()).identity).toEqual(renewed ?? first.identity);
    // If the machine's name changes, a new certificate is issued.
    const named = await open("packhouse.lan");
    expect(new X509Certificate(named.identity.cert).checkHost("packhouse.lan")).toBe("packhouse.lan");
    expect(named.authority).toBe(first.authority);
    writeFileSync(join(data, "tls", "server.pem"), "half");
    expect((await open()).authority).toBe(first.authority);
    time.now = now + 3630 * day_ms;
    expect((await open()).authority).not.toBe(first.authority);
    writeFileSync(join(data, "tls", "authority.pem"), "half");
    expect(open()).rejects.toThrow(UsageError);
  });

  test("is not trusted for other sites", async () => {
    const status = async (names: readonly string[]) => {
      const tls = await makeCertificate(authority, names, now);
      const server = Bun.serve({ port: 0, hostname: "127.0.0.1", tls, fetch: () => new Response("ok") });
      const asked = fetch(`https://127.0.0.1:${server.port}`, { tls: { ca: authority.cert }, keepalive: false });
      return await asked.then((answer) => answer.status, String).finally(() => server.stop(true));
    };
    expect(await status(["127.0.0.1", "packhouse.local", "192.0.2.7", "fd00::1"])).toBe(200);
    for (const name of ["bank.example", "local.example"])
      expect(await status(["127.0.0.1", name])).toMatch(/permitted subtree violation/);
  });
});

describe("the operator's files", () => {
  const write = async (name: string) => {
    const { cert, key } = await makeCertificate(authority, ["127.0.0.1"], now);
    const files = { cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
    writeFileSync(files.cert, cert);
    writeFileSync(files.key, key);
    return { ...files, fingerprint: new X509Certificate(cert).fingerprint256 };
  };

  test("take effect at once when they are renewed, and pending requests are answered", async () => {
    const first = await write("site");
    const env = { PACKHOUSE_TLS_CERT: first.cert, PACKHOUSE_TLS_KEY: first.key };
    const service = await startFreshService({ env });
    expect(await shownBy(service.url, authority.cert)).toBe(first.fingerprint);
    const key = await service.makeKey("live", "read");
    const headers = { authorization: `Bearer ${key}` };
    const tls = { ca: authority.cert };
    const stream = await fetch(`${service.url}/dashboard/api/events?mode=live`, { headers, tls });
    const second = await write("site");
    process.kill(service.pid, "SIGHUP");
    const late = Date.now() + 10_000;
    // For less than a millisecond nothing listens while the port is reopened.
    const shown = () => shownBy(service.url, authority.cert).catch(() => null);
    while ((await shown()) !== second.fingerprint && Date.now() < late) await Bun.sleep(20);
    expect(await shownBy(service.url, authority.cert)).toBe(second.fingerprint);
    expect(stream.status).toBe(200);
    const { value } = (await stream.body?.getReader().read()) ?? {};
    expect(value?.length).toBeGreaterThan(0);
    await service.remove();
  }, 60_000);

  test("that cannot be used are refused before anything starts", async () => {
    const [one, other] = [await write("one"), await write("other")];
    const gone = join(folder, "gone");
    const refusal = (tls: string | undefined, cert?: string, key?: string) => {
      try {
        return readTls({ tls, "tls-cert": cert, "tls-key": key });
      } catch (error) {
        return error instanceof UsageError ? error.message : error;
      }
    };
    expect(refusal(undefined, one.cert, one.key)).toEqual({ cert: one.cert, key: one.key });
    expect(refusal("yes")).toBe("--tls must be self, or use --tls-cert and --tls-key.");
    expect(refusal("self", one.cert, one.key)).toBe("Use either --tls self or --tls-cert and --tls-key.");
    expect(refusal(undefined, one.cert)).toBe("--tls-cert and --tls-key must be used together.");
    expect(refusal(undefined, gone, one.key)).toBe(`--tls-cert: ${gone} cannot be read (ENOENT).`);
    expect(refusal(undefined, one.key, one.key)).toBe(`--tls-cert: ${one.key} does not contain a PEM certificate.`);
    const no_key = `--tls-key: ${one.cert} does not contain a PEM private key without a password.`;
    expect(refusal(undefined, one.cert, one.cert)).toBe(no_key);
    const no_pair = `--tls-key: ${other.key} does not match the certificate in ${one.cert}.`;
    expect(refusal(undefined, one.cert, other.key)).toBe(no_pair);
  });
});
