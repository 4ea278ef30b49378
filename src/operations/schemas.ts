import { Type } from "@sinclair/typebox";
import { choice, closed } from "../kit/schema.ts";

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
