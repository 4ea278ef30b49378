// How many rows the statements of migrations read or write, by the tables that they name.

const reads = [
  /^insert into [\s\S]*? from [`"](\w+)[`"]/i,
  /^update [`"](\w+)[`"]/i,
  /^delete from [`"](\w+)[`"]/i,
  /^create (?:unique )?index [`"]?\w+[`"]? on [`"](\w+)[`"]/i,
  /^alter table [`"](\w+)[`"] (?:add constraint|alter column [\s\S]*? set not null)/i,
];

/** How many rows of tables that are there the statements go through, each as often as it is named. */
export async function touchedRows(
  statements: readonly string[],
  tables: readonly string[],
  count: (table: string) => number | Promise<number>,
): Promise<number> {
  const known = new Map<string, number>();
  let rows = 0;
  for (const statement of statements) {
    const plain = statement.replace(/^(--.*\n\s*)+/, "");
    const table = reads.map((form) => form.exec(plain)?.[1]).find((name) => name !== undefined);
    if (table === undefined || !tables.includes(table)) continue;
    if (!known.has(table)) known.set(table, await count(table));
    rows += known.get(table) ?? 0;
  }
  return rows;
}
