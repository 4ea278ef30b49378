import { Type } from "@sinclair/typebox";
import { faultDescriptions } from "../core/fault_descriptions.ts";
import { type FaultCode, faults } from "../core/faults.ts";
import { choice, closed } from "../core/schema.ts";
import { docUrl } from "./errors.ts";
import { originOf } from "./origin.ts";
import { read, routes } from "./routes.ts";

const codes = Object.keys(faults) as FaultCode[];

const ErrorCodeView = closed({
  code: choice(codes, {
    description: "The code, as in `error.code`. Its meaning never changes; new codes may be added.",
  }),
  type: choice([...new Set(codes.map((code) => faults[code].type))], {
    description: "The group of the code. No other groups will be added in v1.",
  }),
  status: Type.Integer({ description: "The HTTP status of the response." }),
  when: Type.String({ description: "When it happens." }),
  remedy: Type.String({ description: "What to do about it." }),
  doc_url: Type.String({ description: "Link to the documentation of the code." }),
});

/** The route that lists every error code with its meaning and remedy. */
export const errorRoutes = routes("Service", [
  read("/errors", "any", {
    id: "listErrors",
    summary: "List error codes with their causes and remedies",
    description:
      "Every `error.code` that the API can return, with its HTTP status, when it happens and what to do. The page" +
      " `/docs/errors` shows the same.",
    view: Type.Array(ErrorCodeView),
    data: (_, { call }) => {
      const origin = originOf(call);
      return codes.map((code) => ({
        code,
        ...faults[code],
        ...faultDescriptions[code],
        doc_url: docUrl(origin, code),
      }));
    },
  }),
]);
