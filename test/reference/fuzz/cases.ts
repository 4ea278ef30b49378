// One case: an operation, what is sent with it, and perhaps a change that spoils it.
import fc from "fast-check";
import type { Example } from "../../../src/reference/example.ts";
import type { ShownOperation } from "./judge.ts";
import { type Spoil, spoils } from "./spoiling.ts";
import { type Shown, valuesOf } from "./values.ts";

/** What one request is made of. */
export interface Case {
  readonly operation: ShownOperation;
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** Null for a request that stays as it is. */
  readonly spoil: Spoil | null;
}

// Documents take long to draw, and one is like the other.
const slow =
  /^(?:getLabelDocument|followLabelLink|getPickList|getPackingSlip|getWavePickList|getOpenApi|getMetrics|export)/;

/** Cases of every operation: writes most often, slow ones seldom. Examples are where many of them begin. */
export function casesOf(
  operations: readonly ShownOperation[],
  schemas: Readonly<Record<string, Shown>>,
  examples: Readonly<Record<string, Example>>,
) {
  const make = valuesOf(schemas);
  const weighted = operations.map((operation) => ({
    weight: slow.test(operation.operationId) ? 1 : operation.method === "get" ? 6 : 12,
    arbitrary: caseOf(operation, make, examples[operation.operationId]),
  }));
  return fc.oneof(...weighted);
}

function caseOf(operation: ShownOperation, make: ReturnType<typeof valuesOf>, example: Example | undefined) {
  const { parameters, requestBody } = operation;
  const of = (place: "path" | "query") =>
    fc.record(
      Object.fromEntries(parameters.filter((it) => it.in === place).map((it) => [it.name, make(it.schema, it.name)])),
      { requiredKeys: parameters.filter((it) => it.in === place && it.required).map(({ name }) => name) as never },
    );
  const schema = requestBody?.content["application/json"]?.schema;
  const generated = schema === undefined ? fc.constant(undefined) : make(schema, operation.operationId);
  return fc.record<Case>({
    operation: fc.constant(operation),
    path: of("path"),
    query: fc.oneof(fc.constant(example?.query ?? {}), of("query")),
    body: isFields(example?.body) ? varied(operation, example.body, generated) : anyOf(generated, example?.body),
    spoil: fc.option(spoils, { freq: 2 }),
  });
}

const isFields = (body: unknown): body is Fields => typeof body === "object" && body !== null;
type Fields = Readonly<Record<string, unknown>>;

const anyOf = (generated: fc.Arbitrary<unknown>, example: unknown) =>
  example === undefined
    ? generated
    : fc.oneof(generated, fc.constant(example), fc.constantFrom("", "a,b\r\n1,2\r\n", "﻿sku\r\n"));

// What there can be only one of.
const isUnique = (name: string, { operationId }: ShownOperation) =>
  ["order_number", "email", "reference"].includes(name) || (name === "sku" && operationId === "createProduct");

/** The example with none, some or all of its fields as they were generated. */
function varied(operation: ShownOperation, example: Fields, generated: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const dice = fc.array(fc.nat(9), { minLength: 40, maxLength: 40 });
  return fc.record({ fields: generated, boldness: fc.constantFrom(0, 0, 1, 3, 10), dice }).map((it) => {
    if (!isFields(it.fields)) return it.fields;
    const changed = Object.entries(it.fields).filter(([name], at) => {
      return (it.dice[at % it.dice.length] ?? 0) < (isUnique(name, operation) ? 9 : it.boldness);
    });
    return { ...example, ...Object.fromEntries(changed) };
  });
}
