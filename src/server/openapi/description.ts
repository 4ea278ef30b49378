// The OpenAPI document, built from the notes of the routes. It is loaded at the first request for it.
import type { TObject, TSchema } from "@sinclair/typebox";
import { version } from "../../core/config.ts";
import { faultDescriptions } from "../../core/fault_descriptions.ts";
import { chapters } from "../../http/chapters.ts";
import { ListMetaView, MetaView, PaginationView } from "../../http/envelope.ts";
import { DryRunMetaView } from "../../http/rehearsals.ts";
import { bodyKinds } from "../../http/request_input.ts";
import { type AppRoute, belowVersion, declarationOf, isLiveOnly } from "../../http/route.ts";
import { openApiDocument } from "./document.ts";
import recorded from "./examples.json" with { type: "json" };
import { guideOf, guidePath } from "./guides.ts";
import type { Examples, Operation } from "./operation.ts";
import refused from "./refusals.json" with { type: "json" };

const schemaOf = <Schema extends TSchema>(checked: unknown) =>
  (checked as { schema?: Schema } | undefined)?.schema ?? null;

/** The documented routes of an app as operations, each once, in the order of the app. */
export function operationsOf(routes: readonly AppRoute[]): Operation[] {
  const operations = new Map<string, Operation>();
  for (const mounted of routes) {
    const { method, path, hooks } = mounted;
    const below = belowVersion(path);
    const route = `${method} ${below}`;
    const notes = declarationOf(mounted);
    const { id, chapter, summary, answers, sends = "json" } = notes;
    if (operations.has(route) || !id || !chapter || !summary || !answers) continue;
    const { description = null, documents = [], refuses = [], matches = false, tagged = false } = notes;
    operations.set(route, {
      id,
      chapter,
      summary,
      description,
      answers,
      documents,
      refuses,
      matches,
      tagged,
      method: method.toLowerCase() as Operation["method"],
      path: below.replace(/:(\w+)/g, "{$1}"),
      versioned: below !== path,
      need: notes.needs,
      live_only: isLiveOnly(notes),
      alias: notes.alias === true,
      body: schemaOf(hooks.body),
      sends: bodyKinds[sends].media_type,
      query: schemaOf<TObject>(hooks.query),
    });
  }
  return [...operations.values()];
}

/** The introduction, in one paragraph. */
const introduction = (base_url: string) =>
  "Fulfillment for third-party logistics: orders, stock, labels, tracking, returns and webhooks. Send" +
  " `Authorization: Bearer ph_live_…`; a test key (`ph_test_…`) uses a separate test environment. The rules that hold" +
  ` on every route are in the guide [Conventions](${base_url}/docs/guides/conventions): identifiers, money, lists,` +
  ` errors, retries, dry runs and compatibility. The other [guides](${base_url}/docs/guides) explain each part of the` +
  ` API and how to run the service, and [Errors](${base_url}/docs/errors) explains every error code. To try the` +
  " examples, send those of *Create a product*, *Add inventory*, *Create a customer* and *Create an order* first," +
  " with a test key, so that the other operations have records to work on.";

/** The description of a chapter, with a link to its guide. */
function chapterText({ name, description }: (typeof chapters)[number], base_url: string): string {
  const guide = guideOf(name);
  if (guide === undefined) return description;
  return `${description} See the guide [${guide.title}](${base_url}${guidePath(guide)}).`;
}

/** The OpenAPI document of an app's routes. */
export function describeRoutes(routes: readonly AppRoute[], base_url: string) {
  const listed = operationsOf(routes).filter(({ alias }) => !alias);
  return openApiDocument(listed, {
    version,
    base_url,
    introduction: introduction(base_url),
    examples: recorded as Examples,
    refused,
    schemas: { Meta: MetaView, ListMeta: ListMetaView, DryRunMeta: DryRunMetaView, Pagination: PaginationView },
    meaning: (code) => faultDescriptions[code].when,
    chapters: chapters.map((chapter) => ({ name: chapter.name, description: chapterText(chapter, base_url) })),
  });
}
