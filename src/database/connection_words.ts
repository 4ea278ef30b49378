// How PostgreSQL's own programs are told of a database.
import { readAddress } from "../config.ts";

/** The words by which one of them connects. Others can read these, so the password is in the environment alone. */
export function connectionOf(url: string): { words: string[]; secrets: Record<string, string> } {
  const address = readAddress(url);
  if (address === null) return { words: [`--dbname=${url}`], secrets: {} };
  const password = decodeURIComponent(address.password) || (address.searchParams.get("password") ?? "");
  address.password = "";
  address.searchParams.delete("password");
  // `readAddress` names a host where there is only a socket.
  const plain = URL.canParse(url) ? address.href : address.href.replace("@localhost/", "@/");
  return { words: [`--dbname=${plain}`], secrets: password === "" ? {} : { PGPASSWORD: password } };
}
