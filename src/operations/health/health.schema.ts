import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable } from "../../core/schema.ts";

/** The public health report. */
export const HealthView = closed({
  status: choice(["ok", "failing", "stopping"], {
    description:
      "`failing`, with status 503, while a database does not respond; `stopping`, also with 503, while the service" +
      " shuts down.",
  }),
  version: Type.String({ examples: ["0.1.0"], description: "The version of Packhouse." }),
  storage: {
    ...closed({
      engine: choice(["sqlite", "postgres"], { description: "The database engine." }),
      live: choice(["ok", "failing"], { description: "Whether the live database responds and accepts writes." }),
      test: choice(["ok", "failing"], { description: "The same for the test database." }),
      migrations: Type.Integer({ description: "The number of migrations in the program and in both databases." }),
      room: choice(["ok", "low", "unknown"], {
        description: "`low` if less than 256 MiB of disk space are left; `unknown` on PostgreSQL.",
      }),
    }),
    description: "The databases.",
  },
});

/** The liveness report. */
export const LivenessView = closed({ status: choice(["ok"], { description: "Always `ok`." }) });

const moment = (description: string) => Type.String({ format: "date-time", description });

export const ServerView = closed({
  number: nullable(
    Type.Integer({
      description:
        "The number of the server among those of one PostgreSQL database, also used in logs; null on SQLite.",
    }),
  ),
  host: Type.String({ description: "The host name of its machine." }),
  version: Type.String({ examples: ["0.1.0"], description: "The version of Packhouse that it runs." }),
  migration: Type.String({ description: "The last migration in its program." }),
  status: choice(["serving", "stopping"], { description: "`stopping` while it shuts down." }),
  started_at: moment("When it started, or reappeared after it was considered lost."),
  seen_at: moment("The time of its last heartbeat, which it sends every second."),
  is_current: Type.Boolean({ description: "Whether it sent this response." }),
});
export type ServerView = Static<typeof ServerView>;
