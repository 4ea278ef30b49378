import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { faultDescriptions } from "../core/fault_descriptions.ts";
import { type FaultCode, faults } from "../core/faults.ts";
import { choice, closed } from "../core/schema.ts";
import { conventions } from "./conventions.ts";
import { EnvelopedView } from "./envelope.ts";
import { docUrl } from "./errors.ts";
import { originOf } from "./origin.ts";
import { answerRead } from "./response.ts";
import { documented } from "./route.ts";

const codes = Object.keys(faults) as FaultCode[];

const ErrorCodeView = closed({
  code: choice(codes, { description: "Never reused with another meaning. New codes may be added at any time." }),
  type: choice([...new Set(codes.map((code) => faults[code].type))], { description: "A closed list of error types." }),
  status: Type.Integer({ description: "The HTTP status of the response." }),
  when: Type.String({ description: "When it happens." }),
  remedy: Type.String({ description: "What to do about it." }),
  doc_url: Type.String({ description: "Link to the documentation of the code." }),
});

/** The route that lists every error code with its meaning and remedy. */
export const errorRoutes = new Elysia().use(conventions).get(
  "/errors",
  ({ call }) =>
    answerRead(call, async () => {
      const origin = originOf(call);
      return codes.map((code) => ({
        code,
        ...faults[code],
        ...faultDescriptions[code],
        doc_url: docUrl(origin, code),
      }));
    }),
  {
    detail: documented({
      id: "listErrors",
      needs: "any",
      chapter: "Service",
      summary: "List error codes with their causes and remedies",
      answers: { 200: EnvelopedView(Type.Array(ErrorCodeView)) },
    }),
  },
);
