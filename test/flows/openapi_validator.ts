// An independent check of responses: `openapi-response-validator` validates them against the OpenAPI document.
import { Memoirist } from "memoirist";
import OpenApiResponseValidator from "openapi-response-validator";
import { describeApi } from "../../src/cli/openapi.ts";

interface ShownAnswer {
  readonly $ref?: string;
  readonly content?: object;
}
type Schemas = Readonly<Record<string, unknown>>;
interface Shown {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { responses: Readonly<Record<string, ShownAnswer>> }>>>
  >;
  readonly components: { readonly responses: Readonly<Record<string, ShownAnswer>>; readonly schemas: Schemas };
}
type Judge = (status: number, body: unknown) => string | null;

let routes: Memoirist<Judge> | undefined;

/** Throws if a response to `GET /orders/ord_1001?…` and the like does not match the document. */
export function checkAnswer(method: string, path: string, status: number, body: unknown): void {
  routes ??= readDocument();
  const judge = routes.find(method, path.split("?")[0] ?? "")?.store;
  const fault = judge === undefined ? null : judge(status, body);
  if (fault !== null) throw new Error(`${method} ${path} answered ${status}, and not as the document says: ${fault}`);
}

function readDocument(): Memoirist<Judge> {
  const { paths, components } = JSON.parse(describeApi("")) as Shown;
  const found = new Memoirist<Judge>();
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, { responses }] of Object.entries(item)) {
      if (responses) found.add(method.toUpperCase(), path.replace(/\{(\w+)\}/g, ":$1"), judgeOf(responses, components));
    }
  }
  return found;
}

/** Validates the responses of one operation. The schema of a status is built when it is first seen. */
function judgeOf(responses: Readonly<Record<string, ShownAnswer>>, components: Shown["components"]): Judge {
  const validators = new Map<number, OpenApiResponseValidator>();
  return (status, body) => {
    const shown = responses[status] ?? responses["default"];
    const answer = shown?.$ref ? components.responses[shown.$ref.split("/").at(-1) ?? ""] : shown;
    if (answer === undefined) return "there is no such status in it";
    const validator = validators.get(status) ?? validatorOf(status, answer, components.schemas);
    validators.set(status, validator);
    const wrong = validator.validateResponse(status, body);
    return wrong === undefined ? null : JSON.stringify(wrong.errors.slice(0, 5));
  };
}

function validatorOf(status: number, answer: ShownAnswer, schemas: Schemas): OpenApiResponseValidator {
  return new OpenApiResponseValidator({
    responses: { [status]: answer },
    components: { schemas: reached(answer, schemas) },
  } as never);
}

/** The schemas that a part of the document refers to. Copying all of them takes the validator half a second. */
function reached(part: unknown, schemas: Schemas): Schemas {
  const found = new Map<string, unknown>();
  const waiting = [part];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [, name = ""] of JSON.stringify(next).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue;
      found.set(name, schemas[name]);
      waiting.push(schemas[name]);
    }
  }
  return Object.fromEntries(found);
}
