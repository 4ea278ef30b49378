// A query that is not awaited never runs, and the linter knows only promises: Drizzle's builders are thenables. So this
// asks the compiler for the type of every expression statement.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Node, SourceFile } from "typescript/unstable/ast";
import {
  isBinaryExpression,
  isCallExpression,
  isExpressionStatement,
  isPropertyAccessExpression,
} from "typescript/unstable/ast/is";
import { API, type Project } from "typescript/unstable/async";

const root = join(import.meta.dir, "..");
const folder = mkdtempSync(join(tmpdir(), "packhouse-promises-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `kept = promise`, `promise.catch(…)` and `promise.then(…, …)` handle it. */
function isKept(node: Node): boolean {
  if (isBinaryExpression(node)) return true;
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return false;
  const name = node.expression.name.text;
  return name === "catch" || (name === "then" && node.arguments.length === 2);
}

function aloneIn(file: SourceFile): Node[] {
  const found: Node[] = [];
  const visit = (node: Node): void => {
    if (isExpressionStatement(node) && !isKept(node.expression)) found.push(node.expression);
    node.forEachChild(visit);
  };
  file.forEachChild(visit);
  return found;
}

/** The expression statements in a project's own files that could be awaited. */
async function floating({ program, checker, rootFiles }: Project, below: string): Promise<string[]> {
  const problems: string[] = [];
  for (const name of rootFiles) {
    const file = await program.getSourceFile(name);
    const alone = file ? aloneIn(file) : [];
    const types = alone.length > 0 ? await checker.getTypeAtLocation(alone) : [];
    for (const [at, type] of types.entries()) {
      const node = alone[at];
      if (!type || !node || !file || !(await checker.getPropertyOfType(type, "then"))) continue;
      const line = file.text.slice(0, node.end).split("\n").length;
      problems.push(`${relative(below, name)}:${line} ${file.text.slice(node.pos, node.end).trim().split("\n")[0]}`);
    }
  }
  return problems;
}

async function check(config: string, below: string): Promise<string[]> {
  const api = new API({ cwd: below });
  try {
    const snapshot = await api.updateSnapshot({ openProject: config });
    const project = snapshot.getProject(config);
    if (!project) throw new Error(`no project ${config}`);
    return await floating(project, below);
  } finally {
    await api.close();
  }
}

test("no promise or query floats", async () => {
  expect(await check(join(root, "tsconfig.json"), root)).toEqual([]);
}, 60_000);

test("the check finds a query that is not awaited", async () => {
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { strict: true, types: [] } }));
  const text = [
    "declare const query: { where(id: number): PromiseLike<number[]>; plain(): void };",
    "export async function f() {",
    "  await query.where(1);",
    "  query.plain();",
    "  query.where(2);",
    "  Promise.reject(new Error()).catch(() => {});",
    "  let kept: PromiseLike<number[]>;",
    "  kept = query.where(3);",
    "  Promise.resolve(1).then(() => {});",
    "}",
  ];
  writeFileSync(join(folder, "query.ts"), text.join("\n"));
  expect(await check(join(folder, "tsconfig.json"), folder)).toEqual([
    "query.ts:5 query.where(2)",
    "query.ts:9 Promise.resolve(1).then(() => {})",
  ]);
}, 60_000);
