import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable } from "../../core/schema.ts";

/** What a stranger may know of the service: whether it works. */
export const HealthView = closed({
  status: choice(["ok", "failing", "stopping"], {
    description:
      "`failing`, with status 503, while a database does not answer; `stopping`, with 503 as well, once the service" +
      " is asked to stop.",
  }),
  version: Type.String({ examples: ["0.1.0"] }),
  storage: closed({
    engine: choice(["sqlite", "postgres"]),
    live: choice(["ok", "failing"]),
    test: choice(["ok", "failing"]),
    migrations: Type.Integer({ description: "How many the program carries; the databases have them all." }),
    room: choice(["ok", "low", "unknown"], {
      description: "`low` with less than 256 MiB left on the disk; `unknown` on PostgreSQL.",
    }),
  }),
});

/** What tells that the process answers. */
export const LivenessView = closed({ status: choice(["ok"]) });

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
