import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nameField, textField } from "../../core/schema.ts";

/** The lists that have saved views. */
const viewLists = ["orders"] as const;

/** The number of views of one list that a user may save. */
export const views_max = 50;
/** The number of views that one request counts. */
const counted_max = 20;

const Params = Type.Record(Type.String({ pattern: "^[a-z_]{1,40}$" }), textField(500), {
  additionalProperties: false,
  maxProperties: 20,
});

/** Its place among the views of the user who saved it, from 1. */
const position = Type.Integer({ minimum: 1, maximum: views_max });

export const ListSavedViews = closed({ list: choice(viewLists) });
export type ListSavedViews = Static<typeof ListSavedViews>;

export const SaveView = closed({
  list: choice(viewLists),
  name: nameField(40),
  params: Params,
  shared: Type.Optional(Type.Boolean()),
  /** The last place by default. */
  position: Type.Optional(position),
});
export type SaveView = Static<typeof SaveView>;

export const ChangeView = closed({
  name: Type.Optional(nameField(40)),
  params: Type.Optional(Params),
  shared: Type.Optional(Type.Boolean()),
  position: Type.Optional(position),
});
export type ChangeView = Static<typeof ChangeView>;

export const SavedViewView = closed({
  id: Type.String(),
  list: choice(viewLists),
  name: Type.String(),
  params: Params,
  shared: Type.Boolean(),
  /** Whether the caller saved it. */
  own: Type.Boolean(),
  /** Whether the caller may change and delete it. */
  editable: Type.Boolean(),
  saved_by: Type.String(),
  position: Type.Integer(),
  revision: Type.Integer(),
});
export type SavedViewView = Static<typeof SavedViewView>;

/** `views`: a JSON list of the parameters of views. */
export const CountViews = closed({ views: textField(8000) });

export const CountedViews = closed({ views: Type.Array(Params, { maxItems: counted_max }) });

/** The count of each view, in their order: null if its parameters are not those of the list, or if it is too large. */
export const ViewCountsView = Type.Array(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]));
