// The OpenAPI document, built from the notes of the routes. It is loaded at the first request for it.
import type { TObject, TSchema } from "@sinclair/typebox";
import { version } from "../../core/config.ts";
import { faultDescriptions } from "../../core/fault_descriptions.ts";
import { chapters } from "../../http/chapters.ts";
import { MetaView, PaginationView } from "../../http/envelope.ts";
import { bodyKinds } from "../../http/request_input.ts";
import { type AppRoute, belowVersion, declarationOf, isLiveOnly } from "../../http/route.ts";
import { openApiDocument } from "./document.ts";
import recorded from "./examples.json" with { type: "json" };
import { chapterGuides, sections } from "./guides.ts";
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

const joined = (texts: readonly (string | undefined)[]) => texts.flatMap((text) => text?.trim() ?? []).join("\n\n");

/** The OpenAPI document of an app's routes. */
export function describeRoutes(routes: readonly AppRoute[], base_url: string) {
  const listed = operationsOf(routes).filter(({ alias }) => !alias);
  return openApiDocument(listed, {
    version,
    base_url,
    examples: recorded as Examples,
    refused,
    schemas: { Meta: MetaView, Pagination: PaginationView },
    meaning: (code) => faultDescriptions[code].when,
    chapters: chapters.map(({ name, description }) => {
      return { name, description: joined([description, chapterGuides[name]]) };
    }),
    sections,
  });
}
