// The shapes of the API's answers, from the API's own schemas. Types alone: no value of theirs comes into the page.
import type { Static } from "@sinclair/typebox";
import type { CustomerView } from "../../../customers/schemas.ts";
import type { ProductView } from "../../../products/schemas.ts";

export type Customer = Static<typeof CustomerView>;
export type Product = Static<typeof ProductView>;
