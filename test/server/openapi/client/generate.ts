// Generates a client from a document: `bun generate.ts hey_api openapi.json folder`.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { plugin } from "bun";

/** Some generators need TypeScript 5, so in this process `typescript` resolves to it. */
function useTypeScript5(): void {
  plugin({
    name: "typescript-5",
    setup(build) {
      build.module("typescript", async () => {
        const { default: typescript } = await import("typescript5");
        return { exports: { ...typescript, default: typescript }, loader: "object" };
      });
    },
  });
}

const generators: Readonly<Record<string, (input: string, path: string) => Promise<void>>> = {
  async hey_api(input, path) {
    useTypeScript5();
    const { createClient } = await import("@hey-api/openapi-ts");
    await createClient({
      input,
      output: { path },
      logs: { level: "silent" },
      plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
    });
    // What it adds to every client does not compile with exactOptionalPropertyTypes. The types of this API do.
    for (const file of new Bun.Glob("{client,core}/*.ts").scanSync({ cwd: path, absolute: true })) {
      await Bun.write(file, `// @ts-nocheck\n${await Bun.file(file).text()}`);
    }
  },

  async openapi_fetch(input, path) {
    useTypeScript5();
    const { astToString, default: openapiTS } = await import("openapi-typescript");
    await Bun.write(join(path, "schema.ts"), astToString(await openapiTS(pathToFileURL(input))));
  },

  async orval(input, path) {
    const { generate } = await import("orval");
    const target = join(path, "client.ts");
    await generate({ input: { target: input }, output: { target, client: "fetch", mode: "single" } });
  },

  async swagger_typescript_api(input, output) {
    const { generateApi } = await import("swagger-typescript-api");
    await generateApi({ input, output, fileName: "client.ts", generateUnionEnums: true, silent: true });
  },
};

const [name = "", input = "", path = ""] = process.argv.slice(2);
const generate = generators[name];
if (generate === undefined) throw new Error(`no generator is named ${name}`);
await generate(input, path);
