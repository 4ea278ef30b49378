import { type Static, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  codeField,
  currencyField,
  moneyField,
  nameField,
  nullable,
  timestamp,
  weightUnitField,
} from "../../core/schema.ts";
import { weightUnits } from "../../core/weight_units.ts";
import { lengthUnits } from "../../products/product.ts";

const about = {
  code: "Its code, unique in any case, such as `S-10`.",
  name: "Its name; null for none.",
  length: "The inner length, in `unit`.",
  width: "The inner width, in `unit`.",
  height: "The inner height, in `unit`.",
  unit: "The unit of all three sides.",
  weight: "The weight of the empty carton, in `weight_unit`.",
  max_weight: "The most that it can hold, in `weight_unit`; null for any weight.",
  weight_unit: "The unit of both weights.",
  cost: "What it costs the operator; null if unknown.",
  currency: "The currency of `cost`; null without one.",
  active: "False: it is neither suggested nor can it be chosen.",
};

const side = (description: string) => Type.Number({ exclusiveMinimum: 0, maximum: 10_000, description });

const fields = {
  name: nullable(nameField(80, { description: about.name })),
  length: side(about.length),
  width: side(about.width),
  height: side(about.height),
  unit: choice(lengthUnits, { description: `${about.unit} Default: in.` }),
  weight: Type.Number({ minimum: 0, maximum: 1_000_000, description: `${about.weight} Default: 0.` }),
  max_weight: nullable(
    Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000, description: `${about.max_weight} Default: null.` }),
  ),
  weight_unit: weightUnitField("Default: lb."),
  cost: nullable(moneyField(`${about.cost} Default: null.`)),
  currency: nullable(currencyField(`${about.currency} Default: \`USD\` with a cost.`)),
  active: Type.Boolean({ description: `${about.active} Default: true.` }),
};
const read_only = ["id", "revision", "created_at", "updated_at"];

export const CreateCarton = closed(
  {
    code: codeField(40, { description: about.code }),
    name: Type.Optional(fields.name),
    length: fields.length,
    width: fields.width,
    height: fields.height,
    unit: Type.Optional(fields.unit),
    weight: Type.Optional(fields.weight),
    max_weight: Type.Optional(fields.max_weight),
    weight_unit: Type.Optional(fields.weight_unit),
    cost: Type.Optional(fields.cost),
    currency: Type.Optional(fields.currency),
    active: Type.Optional(fields.active),
  },
  read_only,
);
export type CreateCarton = Static<typeof CreateCarton>;

export const UpdateCarton = Type.Composite([Type.Partial(CreateCarton)], { additionalProperties: false });
export type UpdateCarton = Static<typeof UpdateCarton>;

export const CartonRecordView = closed({
  id: Type.String({ description: "The carton's id, such as `ctn_1001`." }),
  code: Type.String({ description: about.code }),
  name: nullable(Type.String({ description: about.name })),
  length: Type.Number({ description: about.length }),
  width: Type.Number({ description: about.width }),
  height: Type.Number({ description: about.height }),
  unit: choice(lengthUnits, { description: about.unit }),
  weight: Type.Number({ description: about.weight }),
  max_weight: nullable(Type.Number({ description: about.max_weight })),
  weight_unit: choice(weightUnits, { description: about.weight_unit }),
  cost: nullable(Type.Number({ description: about.cost })),
  currency: nullable(Type.String({ description: about.currency })),
  active: Type.Boolean({ description: about.active }),
  revision: Type.Integer({ description: "Increases with every change." }),
  created_at: timestamp("When it was created."),
  updated_at: timestamp("When it was last changed."),
});
