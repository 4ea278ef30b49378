// The guides as HTML pages, and the lists of them: for people, and as `/llms.txt` for programs.

import { version } from "../../core/config.ts";
import { escapeHtml, htmlPage } from "../../core/html.ts";
import { type Guide, guidePath, guides, guideTitled } from "./guides.ts";
import css from "./page.css" with { type: "text" };

const style = `\n<style>${css}</style>`;

/** The HTML of a guide. The titles of other guides, in italics, become links to them. */
export function guidePage(shown: Guide): string {
  const html = Bun.markdown.html(shown.text, { headings: { ids: true }, noHtmlBlocks: true, noHtmlSpans: true });
  const linked = html.replace(/<em>([^<]+)<\/em>/g, (whole, title: string) => {
    const other = guideTitled(title);
    return other === undefined || other === shown ? whole : `<a href="${guidePath(other)}">${title}</a>`;
  });
  return htmlPage(
    `${escapeHtml(shown.title)} · Packhouse`,
    style,
    [
      '<p><a href="/docs">Reference</a> · <a href="/docs/guides">Guides</a> ·',
      `<a href="${guidePath(shown)}.md">Markdown</a></p>`,
      linked,
    ].join("\n"),
  );
}

/** The HTML of the list of guides. */
export const guidesPage = htmlPage(
  "Guides · Packhouse",
  style,
  [
    '<p><a href="/docs">Reference</a></p>\n<h1>Guides</h1>',
    ...Object.entries(guides).flatMap(([group, some]) => [
      `<h2>${group}</h2>\n<ul>`,
      ...some.map((one) => `<li><a href="${guidePath(one)}">${one.title}</a>: ${escapeHtml(one.summary)}</li>`),
      "</ul>",
    ]),
  ].join("\n"),
);

/** The text of `/llms.txt`: what there is to read, for language models. `origin` is the service's address, or empty. */
export function llmsText(origin: string): string {
  return [
    "# Packhouse",
    "",
    `> Packhouse ${version} is a third-party-logistics service: orders, stock, labels, tracking, returns and`,
    `> webhooks of a warehouse, with a JSON API at ${origin}/v1. Read Conventions first.`,
    "",
    "## Reference",
    "",
    `- [OpenAPI document](${origin}/openapi.json): every operation, field, error and event, with examples`,
    `- [Errors](${origin}/docs/errors): the meaning of each error code, and what to do`,
    ...Object.entries(guides).flatMap(([group, some]) => [
      "",
      `## ${group}`,
      "",
      ...some.map((one) => `- [${one.title}](${origin}${guidePath(one)}.md): ${one.summary}`),
    ]),
    "",
  ].join("\n");
}
