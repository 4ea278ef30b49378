// PostgreSQL's own programs, which dump a database and put a dump back.
import { environmentWith, readAddress } from "../../config.ts";
import { startRefused } from "../exit.ts";

/** What PostgreSQL's programs are told of a database by the environment, where nobody else sees its password. */
function environmentOf(url: string): Record<string, string> {
  const address = readAddress(url);
  if (address === null) throw new Error("the address of the database cannot be read");
  const { hostname, port, username, password, pathname, searchParams } = address;
  const given = {
    PGHOST: searchParams.get("host") ?? decodeURIComponent(hostname.replace(/^\[|\]$/g, "")),
    PGPORT: searchParams.get("port") ?? port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    PGSSLMODE: searchParams.get("sslmode") ?? "",
    PGSSLROOTCERT: searchParams.get("sslrootcert") ?? "",
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
}

/** Runs one of PostgreSQL's programs to its end. Refuses where it is not there, and tells why it failed. */
export async function runProgram(name: string, words: readonly string[], url: string, advice: string): Promise<void> {
  const path = Bun.which(name);
  if (path === null) {
    throw startRefused("absent", `${name} is not on this machine (Debian: apt install postgresql-client). ${advice}`);
  }
  const env = environmentWith(environmentOf(url));
  const child = Bun.spawn([path, ...words], { env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw startRefused("storage", `${name} failed: ${said.trim()} ${advice}`);
}
