// Signed links to the contents of files, for browsers and pages that have no key.
import { equalInConstantTime, hmacHex } from "../core/crypto.ts";
import type { Environment } from "../core/environment.ts";
import { wireId } from "../core/ids.ts";
import type { Site } from "../core/operator_settings.ts";
import { day_ms } from "../core/time.ts";
import type { StoredFile } from "./file.ts";

/** How many days a link is valid at least. */
const link_days = 7;

/** The content of a link that its signature protects. `expires` is in seconds since 1970. */
interface FileLink {
  readonly file_id: number;
  readonly mode: Environment;
  readonly expires: number;
}

/** The signature of a link. */
function signatureOf({ secret_key }: Site, { file_id, mode, expires }: FileLink): string {
  return hmacHex(hmacHex(secret_key, "links to files"), `${mode}/${file_id}/${expires}`);
}

/** Whether this server signed a link. */
export function isSignedLink(site: Site, link: FileLink, signature: string): boolean {
  return equalInConstantTime(signatureOf(site, link), signature);
}

/** Where and when a link is made. */
interface LinkContext {
  readonly site: Site;
  readonly mode: Environment;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * A link to a file's content below `origin`, and when it expires (ms). All links of a day are equal, so that browsers
 * fetch the content once.
 */
export function fileLink(
  { site, mode, now }: LinkContext,
  origin: string,
  { id }: Pick<StoredFile, "id">,
): { readonly url: string; readonly expires_at: number } {
  const expires_at = (Math.floor(now / day_ms) + 1 + link_days) * day_ms;
  const expires = expires_at / 1000;
  const proof = `mode=${mode}&expires=${expires}&signature=${signatureOf(site, { file_id: id, mode, expires })}`;
  return { url: `${origin}/v1/files/${wireId("file", id)}/content?${proof}`, expires_at };
}
