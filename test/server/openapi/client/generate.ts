// Generates a client from a document: `bun generate.ts openapi.json folder`. The generator needs TypeScript 5, so in
// this process `typescript` resolves to it.
import { plugin } from "bun";

plugin({
  name: "typescript-5",
  setup(build) {
    build.module("typescript", async () => {
      const { default: typescript } = await import("typescript5");
      return { exports: { ...typescript, default: typescript }, loader: "object" };
    });
  },
});

const [input = "", path = ""] = process.argv.slice(2);
const { createClient } = await import("@hey-api/openapi-ts");
await createClient({
  input,
  output: { path },
  logs: { level: "silent" },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
});
