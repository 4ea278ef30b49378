// One case: an operation, its input, and possibly a change that makes it invalid.
import fc from "fast-check";
import type { ShownOperation } from "./check_response.ts";
import { type Spoil, spoils } from "./invalid_values.ts";
import { type Shown, valuesOf } from "./values.ts";

/** The input of one request. */
export interface Case {
  readonly operation: ShownOperation;
  /** Whether it targets records that are ready for it; otherwise any input, in the form of the example. */
  readonly ready: boolean;
  readonly path: Readonly<Record<string, unknown>>;
  /** Empty for the usual query. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** How many fields in ten of the usual body are replaced. */
  readonly boldness: number;
  readonly luck: number;
  /** Null for a request that is not changed. */
  readonly spoil: Spoil | null;
}

// Documents take long to render, and all are alike.
const slow =
  /^(?:getLabelDocument|follow(?:Label|Document)Link|get(?:Wave)?PickList|getPackingSlip|getOpenApi|getMetrics|export)/;

/** Generates cases of operations: writes most often, slow ones rarely. */
export function casesBy(schemas: Readonly<Record<string, Shown>>) {
  const make = valuesOf(schemas);
  const made = new Map<ShownOperation, fc.Arbitrary<Case>>();
  return (operations: readonly ShownOperation[]): fc.Arbitrary<Case> => {
    const weighted = operations.map((operation) => {
      const arbitrary = made.get(operation) ?? caseOf(operation, make);
      made.set(operation, arbitrary);
      return { weight: slow.test(operation.operationId) ? 1 : operation.method === "get" ? 6 : 12, arbitrary };
    });
    return fc.oneof(...weighted);
  };
}

const texts = fc.constantFrom(undefined, "", "a,b\r\n1,2\r\n", "﻿sku\r\n");
const versions = fc.constantFrom('"1"', '"2"', '"3"', '"999"', 'W/"1"', "*", "1");
const header_values: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "Idempotency-Key": fc.constantFrom("a", "b", "c", '"d"', "e f", "ü"),
  "If-Match": versions,
  "If-None-Match": versions,
};

function caseOf(operation: ShownOperation, make: ReturnType<typeof valuesOf>): fc.Arbitrary<Case> {
  const { parameters, requestBody } = operation;
  const of = (place: "path" | "query") =>
    fc.record(
      Object.fromEntries(parameters.filter((it) => it.in === place).map((it) => [it.name, make(it.schema, it.name)])),
      { requiredKeys: parameters.filter((it) => it.in === place && it.required).map(({ name }) => name) as never },
    );
  const headers = parameters.flatMap(({ name, in: place }) => {
    const value = place === "header" ? header_values[name] : undefined;
    return value === undefined ? [] : [value.map((it) => ({ [name]: it }))];
  });
  const schema = requestBody?.content["application/json"]?.schema;
  return fc.record<Case>({
    operation: fc.constant(operation),
    ready: fc.boolean(),
    path: of("path"),
    query: fc.oneof(fc.constant({}), of("query")),
    headers: fc.oneof({ weight: 12, arbitrary: fc.constant({}) }, ...headers),
    body: schema !== undefined ? make(schema, operation.operationId) : requestBody ? texts : fc.constant(undefined),
    boldness: fc.constantFrom(0, 0, 1, 3, 10),
    luck: fc.nat(),
    spoil: fc.option(spoils, { freq: 2 }),
  });
}
