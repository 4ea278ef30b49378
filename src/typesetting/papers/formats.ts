import { readAccept, wishFor } from "../../kit/accept.ts";

/** What a paper may be answered as; the first is what a client gets that wants nothing else. */
export const paperFormats = ["pdf", "html", "json"] as const;
export type PaperFormat = (typeof paperFormats)[number];

const mediaTypes: Readonly<Record<PaperFormat, string>> = {
  pdf: "application/pdf",
  html: "text/html",
  json: "application/json",
};

/** The media types that stand beside JSON in the answers of a paper's route. */
export const paperMediaTypes: readonly string[] = [mediaTypes.pdf, mediaTypes.html];

/**
 * The format that an `Accept` header prefers: of equal ones the one named most exactly, then PDF before HTML before
 * JSON. A header that wants none of them gets a PDF.
 */
export function preferredFormat(accept: string | null): PaperFormat {
  const wishes = readAccept(accept);
  const ranked = paperFormats.map((format) => ({ format, ...wishFor(mediaTypes[format], wishes) }));
  const [best] = ranked.sort((a, b) => b.quality - a.quality || b.exactness - a.exactness);
  return best === undefined || best.quality === 0 ? "pdf" : best.format;
}
