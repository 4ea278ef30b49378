import type { Rate } from "../../access/limits.ts";
import { hmacHex, sameText } from "../../kit/hmac.ts";
import { wireId } from "../../kit/ids.ts";
import type { Mode } from "../../kit/mode.ts";

/** How long the link to a label's document stays valid, in milliseconds. */
export const link_lifetime_ms = 7 * 86_400_000;

/** How often one link may be followed: a page with it may be reloaded, but nobody prints one label all day. */
export const linkRate: Rate = { per_minute: 60, burst: 30 };

/** What a link to a label's document says and its signature protects. `expires` is in seconds since 1970. */
interface LabelLink {
  readonly label_id: number;
  readonly mode: Mode;
  readonly expires: number;
}

/** Creates and checks the signatures of links, with a key of their own. */
export interface LinkSigner {
  readonly sign: (link: LabelLink) => string;
  readonly isSigned: (link: LabelLink, signature: string) => boolean;
}

/** Signs links with a key derived from the service's secret. */
export function linkSigner(secret_key: Uint8Array): LinkSigner {
  const key = hmacHex(secret_key, "links to label documents");
  const sign = ({ label_id, mode, expires }: LabelLink) => hmacHex(key, `${mode}/${label_id}/${expires}`);
  return { sign, isSigned: (link, signature) => sameText(sign(link), signature) };
}

/** What a link leads to: a format and, if the carrier made several documents, which one. */
interface Linked {
  readonly format: string;
  readonly document: number | null;
}

/** The address of a label's document, which needs no key. One signature serves all documents of a label. */
export function documentLinks(origin: string, link: LabelLink, signer: LinkSigner): (linked: Linked) => string {
  const path = `${origin}/v1/labels/${wireId("label", link.label_id)}`;
  const proof = `mode=${link.mode}&expires=${link.expires}&signature=${signer.sign(link)}`;
  return ({ format, document }) => {
    const which = document === null ? "" : `&document=${document}`;
    return `${path}?format=${format}${which}&${proof}`;
  };
}
