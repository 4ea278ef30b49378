import { type Static, Type } from "@sinclair/typebox";
import { closed, code_pattern, notesField, Timestamp } from "../../core/schema.ts";
import { HistoryView } from "../search/order_list.schema.ts";
import { tag_length_max, tags_max } from "./order_tags.ts";

const tags_text = "Labels of your own, for filters and searches. Upper and lower case do not differ.";

/** A tag. It has no comma, so that a filter can name several. */
export const tag = Type.String({
  minLength: 1,
  maxLength: tag_length_max,
  pattern: `^(?!.*,)${code_pattern}$`,
  form: "must not contain commas or invisible characters, nor begin or end with a space",
});

/** The tags of an order in a request. */
export const tagsField = Type.Array(tag, {
  maxItems: tags_max,
  description: `${tags_text} The list replaces the present one.`,
});

/** The tags of an order in a response. */
export const TagsView = Type.Array(Type.String(), { description: tags_text });

export const TagOrder = closed({
  tags: Type.Array(tag, { minItems: 1, maxItems: tags_max, description: "The tags to add." }),
});
export type TagOrder = Static<typeof TagOrder>;

export const UntagOrder = closed({
  tags: Type.Array(tag, { minItems: 1, maxItems: tags_max, description: "The tags to remove, if it has them." }),
});
export type UntagOrder = Static<typeof UntagOrder>;

export const AddNote = closed({
  text: { ...notesField(), minLength: 1, description: "The note, with line breaks if needed." },
  shared: Type.Optional(
    Type.Boolean({
      description:
        "Whether the merchant sees a note of the operator, too. Default: false. Notes of a merchant are always shared.",
    }),
  ),
});
export type AddNote = Static<typeof AddNote>;

export const NoteView = closed({
  id: Type.String(),
  order_id: Type.String(),
  text: Type.String({ description: "The note as it was written." }),
  shared: Type.Boolean({ description: "Whether both the operator and the merchant see it." }),
  author: {
    ...HistoryView.properties.actor,
    description: "Who wrote it. Merchants see the operator as the warehouse.",
  },
  created_at: Timestamp,
});
