// For drizzle-kit, which `bun run migrations` runs. It reads the schema and no database.
import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./db/schema/*.ts",
  out: "./db/migrations/postgres",
  migrations: { prefix: "index" },
});
