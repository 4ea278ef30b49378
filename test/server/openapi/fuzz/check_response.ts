// Checks requests and responses against the document with Ajv, independently of the service's own validation.
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import type { Shown } from "./values.ts";

interface ShownParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Shown;
  readonly example?: unknown;
}

interface ShownAnswer {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Shown }>>;
}

export interface ShownOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly ShownParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Shown }>> };
  readonly responses: Readonly<Record<string, ShownAnswer>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Shown>>;
    readonly responses: Readonly<Record<string, ShownAnswer>>;
    readonly parameters: Readonly<Record<string, ShownParameter>>;
  };
}

export const methods = ["get", "post", "put", "patch", "delete"];

/** The operations of a document, with their parameters in place. */
export function operationsIn({ paths, components }: Document): ShownOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      if (item[method] === undefined) return [];
      const operation = item[method] as ShownOperation;
      const parameters = operation.parameters.map((one: ShownParameter & { readonly $ref?: string }) => {
        const shared = components.parameters[one.$ref?.split("/").at(-1) ?? ""];
        return shared ?? one;
      });
      return [{ ...operation, parameters, method, path }];
    }),
  );
}

/** Checks values against the schemas of a document. */
export function judgeBy(document: Document) {
  // Money has two decimals, which binary numbers cannot represent exactly; Ajv allows for that.
  const ajv = new Ajv2020({ strict: false, multipleOfPrecision: 6 });
  addFormats(ajv);
  ajv.addSchema({ $id: "document", components: document.components });
  const compiled = new Map<Shown, ValidateFunction>();
  const validator = (schema: Shown): ValidateFunction => {
    const found =
      compiled.get(schema) ??
      ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"document#')));
    compiled.set(schema, found);
    return found;
  };

  return {
    /** Whether a value matches a schema. */
    fits: (schema: Shown, value: unknown): boolean => validator(schema)(value),
    /** Describes what is wrong with a response, or returns null; `body` is null if it is not JSON. */
    faultOf(operation: ShownOperation, status: number, type: string, body: unknown): string | null {
      const shown = operation.responses[status] ?? operation.responses["default"];
      if (shown === undefined) return `answers ${status}, which is not in the document`;
      const answer = shown.$ref ? document.components.responses[shown.$ref.split("/").at(-1) ?? ""] : shown;
      const [media = ""] = type.split(";");
      if (type === "" && answer?.content === undefined) return null;
      const content = answer?.content?.[media];
      if (content === undefined) return `answers ${status} as ${media}, which is not in the document`;
      if (!/json/.test(media)) return null;
      const validate = validator(content.schema);
      if (validate(body)) return null;
      return `answers ${status} off its schema: ${ajv.errorsText(validate.errors)}`;
    },
  };
}
