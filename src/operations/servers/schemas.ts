import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable } from "../../kit/schema.ts";

const moment = (description: string) => Type.String({ format: "date-time", description });

export const ServerView = closed({
  number: nullable(
    Type.Integer({
      description:
        "By which the servers of one PostgreSQL database know each other, and logs name them; null on SQLite.",
    }),
  ),
  host: Type.String({ description: "The name of its machine." }),
  version: Type.String({ examples: ["0.1.0"] }),
  migration: Type.String({ description: "The last migration that it knows." }),
  status: choice(["serving", "stopping"], { description: "`stopping` once it is asked to end." }),
  started_at: moment("When it started, or was taken for gone and came back."),
  seen_at: moment("When it last told the others that it runs, which it does every second."),
  answers: Type.Boolean({ description: "Whether it gave this answer." }),
});
export type ServerView = Static<typeof ServerView>;
