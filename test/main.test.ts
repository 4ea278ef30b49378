// The command line as an operator uses it. Each case runs in its own process, on the embedded database.

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultProgram } from "../scripts/service.ts";
import { silentLog } from "../src/core/log.ts";
import { openStores } from "../src/storage/open_stores.ts";

// Each step starts a process, on a machine that may be busy.
setDefaultTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), "packhouse-main-"));
afterAll(() => rmSync(folder, { recursive: true }));
const data = join(folder, "data");

/** Runs one command to its end, in the test's folder. */
async function packhouse(words: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([...defaultProgram, ...words], { cwd: folder, env, stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { out, err, code };
}

/** Creates the data of a new installation and returns the flags that point to it. */
async function installation(name: string): Promise<string[]> {
  const place = join(folder, name);
  const fatal = (error: unknown) => {
    throw error;
  };
  const stores = await openStores({ data: place, database_url: null, purpose: "serve", log: silentLog, fatal });
  await stores.close();
  return ["--data", place];
}
beforeAll(() => installation("data"));

const create_hint = "Create one with packhouse keys create.\n";
const create = ["keys", "create", "--data", data, "--name", "till"];

describe("works", () => {
  test("a key is created, listed and revoked, and no other user can read the data", async () => {
    const made = await packhouse([...create, "--mode", "test", "--permission", "read", "--json"]);
    expect({ ...made, out: JSON.parse(made.out) }).toMatchObject({
      code: 0,
      out: { mode: "test", permission: "read" },
    });
    const { id, key } = JSON.parse(made.out);
    const listed = await packhouse(["keys", "list", "--data", data]);
    expect(listed.out).toMatch(new RegExp(`^${id} +ph_test_…${key.slice(-4)} +read +till\n$`));
    expect(listed.out).not.toContain(key);
    for (let times = 0; times < 2; times += 1) {
      const revoked = await packhouse(["keys", "revoke", "--data", data, "--id", id]);
      expect([revoked.code, revoked.out]).toEqual([0, `${id} revoked.\n`]);
    }
    expect((await packhouse(["keys", "list", "--data", data])).out).toContain("revoked");
    for (const path of ["", ...readdirSync(data)]) expect(statSync(join(data, path)).mode & 0o077).toBe(0);
  });

  test("a key is limited, rotated and set to expire, with a warning when no full-access key is left", async () => {
    const place = await installation("ring");
    const keys = (...words: string[]) => packhouse(["keys", ...words, ...place]);
    const full = ["--name", "main", "--mode", "live", "--permission", "full"];
    const made = await keys("create", ...full, "--rate-limit", "60", "--allow", "10.0.0.0/8, ::1", "--json");
    const { id } = JSON.parse(made.out);
    const rotated = await keys("rotate", "--id", id, "--overlap", "60");
    expect(rotated.out).toMatch(/^key_1002 \(live, full\)\. The key is shown only once:\nph_live_[0-9A-Za-z]{36}\n$/);
    const soon = await keys("expire", "--id", "key_1002", "--at", "2999-01-31");
    expect(soon).toEqual({
      code: 0,
      out: "key_1002 expires at 2999-01-31T00:00:00.000Z.\n",
      err: `No key with full permission is left in live from 2999-01-31T00:00:00.000Z. ${create_hint}`,
    });
    expect(await keys("expire", "--id", "key_1002", "--at", "never")).toMatchObject({ code: 0, err: "" });
    const later = await keys("revoke", "--id", "key_1002", "--at", "2999-01-31T12:00:00Z");
    expect([later.code, later.out]).toEqual([0, "key_1002 will be revoked at 2999-01-31T12:00:00.000Z.\n"]);
    const now = await keys("revoke", "--id", id);
    expect([now.code, now.out]).toEqual([0, `${id} revoked.\n`]);
    const last = await keys("revoke", "--id", "key_1002");
    expect([last.code, last.err]).toEqual([0, `No key with full permission is left in live. ${create_hint}`]);
    const [first, second] = (await keys("list", "--json")).out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const like = { mode: "live", permission: "full", status: "revoked", rate_limit_per_minute: 60 };
    expect(first).toMatchObject({ ...like, id, replaced_by: "key_1002" });
    expect(second).toMatchObject({ ...like, id: "key_1002", ip_mode: "enforce", ip_list: ["10.0.0.0/8", "::1"] });
    const ended = await keys("rotate", "--id", id);
    expect([ended.code, ended.err]).toEqual([1, "packhouse keys rotate: The key is revoked. Create another one.\n"]);
  });

  test("the stock of a new installation matches its ledger", async () => {
    await packhouse([...create, "--mode", "live"]);
    const { code, out } = await packhouse(["verify", "--data", data]);
    expect([code, out]).toEqual([0, "live: 0 differences\ntest: 0 differences\n"]);
  });

  test("products and stock are imported and exported unchanged, and a bad row makes the exit code 1", async () => {
    const [goods, counted] = [join(folder, "goods.csv"), join(folder, "counted.csv")];
    writeFileSync(goods, 'sku,name\nTEA,"Tea, green"\nRICE,Rice\n,Nameless\n');
    writeFileSync(counted, "sku,bin,quantity\nTEA,A-01,5\nRICE,A-02,7\n");
    const own = await installation("sheets");
    const products = await packhouse(["import", "products", goods, ...own]);
    expect(products).toEqual({
      code: 1,
      out: "line 4: sku is required\ntest: 3 rows: 2 created, 0 updated, 0 unchanged, 1 failed\n",
      err: "Products               3 of 3\n",
    });
    const stock = await packhouse(["import", "stock", counted, "--json", ...own]);
    const report = { rows: 2, created: 2, updated: 0, unchanged: 0, failed: 0, errors: [] };
    expect([stock.code, JSON.parse(stock.out)]).toEqual([0, report]);
    for (const kind of ["products", "stock"]) {
      const file = join(folder, `${kind}.csv`);
      const written = await packhouse(["export", kind, file, ...own]);
      expect([written.code, written.out]).toEqual([0, ""]);
      const again = await packhouse(["import", kind, file, ...own]);
      expect([again.code, again.out]).toEqual([0, "test: 2 rows: 0 created, 0 updated, 2 unchanged, 0 failed\n"]);
    }
    const { code, out } = await packhouse(["export", "movements", ...own]);
    expect([code, out.split("\r\n").length]).toEqual([0, 4]);
    expect((await packhouse(["verify", "--data", join(folder, "sheets")])).code).toBe(0);
  });

  test("a file can be piped in, and - is standard input or output", async () => {
    const own = await installation("piped");
    const words = ["sh", "-c", 'printf "sku,name\\nTEA,Tea\\n" | "$0" "$@"', ...defaultProgram];
    const child = Bun.spawn([...words, "import", "products", "/dev/stdin", ...own], { cwd: folder, env: {} });
    expect(await child.stdout.text()).toBe("test: 1 rows: 1 created, 0 updated, 0 unchanged, 0 failed\n");
    const counted = ["sh", "-c", 'printf "SKU;Anzahl\\nTEA;1.000\\n" | "$0" "$@"', ...defaultProgram];
    const terms = ["--decimal", ",", "--map", "Anzahl:quantity"];
    const stock = Bun.spawn([...counted, "import", "stock", "-", ...terms, ...own], { cwd: folder, env: {} });
    expect(await stock.stdout.text()).toBe("test: 1 rows: 1 created, 0 updated, 0 unchanged, 0 failed\n");
    expect((await packhouse(["export", "stock", "-", ...own])).out).toContain(",1000\r\n");
    expect(existsSync(join(folder, "-"))).toBe(false);
  });

  test("files belong to the merchant named, which is required once there are several", async () => {
    const goods = join(folder, "owned.csv");
    writeFileSync(goods, "sku,name\nTEA,Tea\n");
    const own = await installation("merchants");
    const made = await packhouse(["merchants", "create", "--code", "ACME", "--name", "Acme", ...own]);
    expect([made.code, made.out]).toEqual([0, "mer_1001   ACME         Acme  USD  America/New_York\n"]);
    const taken = await packhouse(["import", "products", goods, ...own]);
    const why = "packhouse import products: There are several merchants. Choose one with --merchant.\n";
    expect([taken.code, taken.err]).toEqual([1, why]);
    for (const merchant of ["MAIN", "mer_1001"]) {
      const { code } = await packhouse(["import", "products", goods, "--merchant", merchant, ...own]);
      expect(code).toBe(0);
    }
    const count = async (...words: string[]) =>
      (await packhouse(["export", "products", ...words, ...own])).out.trim().split("\n").length - 1;
    expect([await count("--merchant", "ACME"), await count("--merchant", "MAIN"), await count()]).toEqual([1, 1, 2]);
    const nobody = await packhouse(["export", "products", "--merchant", "NOBODY", ...own]);
    expect([nobody.code, nobody.err]).toEqual([1, "packhouse export products: No such merchant: NOBODY.\n"]);
    expect((await packhouse(["merchants", "close", "--merchant", "ACME", ...own])).code).toBe(0);
    expect((await packhouse(["import", "products", goods, ...own])).code).toBe(0);
  });

  test("an export whose reader stops early ends without an error", async () => {
    const goods = join(folder, "many.csv");
    const rows = Array.from({ length: 3000 }, (_, at) => `G-${at},${"Goods ".repeat(15)}${at}\n`);
    writeFileSync(goods, `sku,name\n${rows.join("")}`);
    const own = await installation("many");
    expect((await packhouse(["import", "products", goods, ...own])).code).toBe(0);
    // The export is larger than a pipe holds. The shell separates the exit code from what `head` prints.
    const script = '{ "$0" "$@"; echo "exit $?" >&2; } | head -n 1';
    const words = ["sh", "-c", script, ...defaultProgram, "export", "products", ...own];
    const child = Bun.spawn(words, { cwd: folder, env: {}, stdout: "pipe", stderr: "pipe" });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect(out).toMatch(/^sku,name,.*\r\n$/);
    expect(err).toMatch(/^Products +\d+ of 3000\nexit 0\n$/);
  });

  test("a balance that was changed without a ledger entry is reported with the rows that disagree", async () => {
    const place = await installation("changed");
    const [goods, counted] = [join(folder, "tea.csv"), join(folder, "tea_stock.csv")];
    writeFileSync(goods, "sku,name\nTEA,Tea\n");
    writeFileSync(counted, "sku,bin,quantity\nTEA,A-01,5\n");
    await packhouse(["import", "products", goods, "--mode", "live", ...place]);
    await packhouse(["import", "stock", counted, "--mode", "live", ...place]);
    const database = new Database(join(folder, "changed", "live.db"));
    database.run("update stock_items set on_hand = 6");
    database.close();
    const { code, out } = await packhouse(["verify", ...place]);
    expect([code, out.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "(then)").split("\n")]).toEqual([
      1,
      [
        "I4 on hand is the sum of the item's movements: stock item 1001: expected 5, found 6",
        "  stock_items 1001: sku TEA, warehouse_id 1001, bin A-01, bin_kind storage, on_hand 6, reserved 0",
        "  movements, all of the stock item: rows 1, change 5",
        "  movements 1001: type adjustment, quantity 5, to_item_id 1001, to_balance 5, reason stock_count," +
          " created_at (then)",
        "  allocations, all: rows 0, quantity 0",
        "live: 1 difference",
        "test: 0 differences",
        "",
      ],
    ]);
    const told = await packhouse(["verify", "--json", ...place]);
    expect([told.code, JSON.parse(told.out)]).toMatchObject([
      1,
      {
        mode: "live",
        subject: "stock item 1001",
        expected: 5,
        actual: 6,
        rows: [{ table: "stock_items", id: 1001 }, {}, {}, {}],
      },
    ]);
  });

  test.each([
    [[], "Usage: packhouse <command>"],
    [["--help"], "verify"],
    [["serve", "--help"], "--port PORT"],
    [["keys", "--help"], "keys revoke"],
    [["import", "stock", "--help"], "import stock FILE [flags]"],
    [["demo", "--help"], "(test)"],
    [["import", "orders", "--help"], "(test)"],
    [["export", "orders", "--help"], "(test)"],
    [["--version"], "packhouse "],
  ])("%j prints to standard output", async (words, said) => {
    const { code, out, err } = await packhouse(words);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(said);
  });
});

describe("refuses", () => {
  test.each([
    [["frob"], "unknown command frob"],
    [["keys"], "keys create, keys list, keys revoke, keys rotate or keys expire"],
    [["serve", "--event-retention-days", "4"], "from 5 to 90"],
    [["serve", "--event-retention-days", "91"], "from 5 to 90"],
    [["serve", "--event-retention-days", "ten"], "from 5 to 90"],
    [["serve", "--frob"], "--frob"],
    [["serve", "--port", "70000"], "--port"],
    [["serve", "--port", ""], "--port"],
    [["serve", "--database-url", "mysql://db/x"], "postgres://"],
    [["serve", "--database-url", "postgres://db/x"], "PACKHOUSE_SECRET_KEY"],
    [[...create, "--mode", "prod"], "live or test"],
    [[...create, "--mode", "live", "--permission", "root"], "read, read_write, full"],
    [[...create, "--mode", "live", "--allow", "10.0.0.0/99"], "10.0.0.0/99"],
    [["keys", "revoke"], "--id"],
    [["keys", "expire", "--id", "key_1001"], "--at"],
    [["keys", "rotate", "--id", "key_1001", "--overlap", "604801"], "to 604800"],
    [["import"], "import products, import stock, import orders or import customers"],
    [["imprt"], "did you mean import?"],
    [["imprt", "products"], "did you mean import products?"],
    [["import", "products"], "FILE"],
    [["import", "products", "a.csv", "--decimal", ";"], '--decimal must be "," or "." (got ;)'],
    [["restore", "-"], "cannot be restored from standard input"],
    [["backup", "-"], "- is not a backup location"],
    [["import", "products", "a.csv", "b.csv"], "b.csv"],
    [["export", "stock", "--mode", "prod"], "live or test"],
    [["export"], "name what to export"],
    [["export", "--merchant", "ACME", "--to", "acme"], "--mode is required"],
  ])("%j as a usage error, in one line", async (words, said) => {
    const { code, out, err } = await packhouse(words);
    expect([code, out, err.trimEnd().split("\n").length]).toEqual([2, "", 1]);
    expect(err).toContain(said);
  });

  test.each([
    "postgres://ann:sesame@host:abc/x",
    "postgres://ann:ses#ame@host/x",
    "postgres://ann:12#sesame@host/x",
    "postgres://ann:%sesame@host/x",
    "postgres://ann:s@host/sesame@127.0.0.1/x",
    "postgres://ann:sesame@[::1/x",
  ])("the database URL %s, in one line without its password", async (address) => {
    for (const words of [["serve", "--port", "0"], ["verify"]]) {
      const { code, out, err } = await packhouse([...words, "--database-url", address]);
      expect([code, out, err.trimEnd().split("\n").length]).toEqual([2, "", 1]);
      expect(err).toContain("is not a valid URL: use postgres://");
      expect(err).not.toContain("sesame");
    }
  });

  test("an invalid setting, before any data is created", async () => {
    const serve = ["serve", "--port", "0", "--data", join(folder, "none")];
    const words = ["SECRET_KEY", "TRUSTED_PROXIES", "WEBHOOK_ALLOW_CIDRS", "BASE_URL", "GS1_PREFIX"];
    const nonsense = words.map((word) => [`PACKHOUSE_${word}`, "nonsense"]);
    for (const [name = "", text = ""] of [...nonsense, ["PACKHOUSE_SMTP_URL", "smtp://ann:%sesame@mail"]]) {
      const { code, err } = await packhouse(serve, { [name]: text });
      expect([code, err.includes(name), err.trimEnd().split("\n").length]).toEqual([2, true, 1]);
    }
    expect(existsSync(join(folder, "none"))).toBe(false);
  });

  test("to work on a folder without data, and creates nothing there", async () => {
    const nowhere = join(folder, "nowhere");
    const goods = join(folder, "nowhere.csv");
    writeFileSync(goods, "sku,name\nTEA,Tea\n");
    const commands = [
      ["keys", "list"],
      ["keys", "create", "--name", "till", "--mode", "live"],
      ["keys", "revoke", "--id", "key_1001"],
      ["users", "create", "--email", "ann@example.com", "--name", "Ann"],
      ["merchants", "create", "--code", "ACME", "--name", "Acme"],
      ["merchants", "list"],
      ["verify"],
      ["import", "products", goods],
      ["backup", join(folder, "nowhere-backups")],
      ["upgrade", "--check"],
      ["rollback"],
    ];
    for (const words of commands) {
      const { code, err } = await packhouse([...words, "--data", nowhere]);
      expect([words, code, err]).toEqual([
        words,
        66,
        expect.stringContaining(`: There is no Packhouse data in ${nowhere}. Specify its folder with --data`),
      ]);
    }
    expect([existsSync(nowhere), existsSync(join(folder, "nowhere-backups"))]).toEqual([false, false]);
  });

  test("what the system refuses, in one line without a stack trace", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    const lost_file = await packhouse([
      "import",
      "products",
      join(folder, "lost.csv"),
      ...(await installation("lost")),
    ]);
    expect([lost_file.code, lost_file.out, lost_file.err.split("\n").length]).toEqual([1, "", 2]);
    const taken = await packhouse(["serve", "--port", "0", "--data", file]);
    expect([taken.code, taken.err]).toEqual([74, `packhouse serve: The data in ${file} cannot be used (EEXIST).\n`]);
    const abroad = await packhouse(["serve", "--port", "0", "--host", "203.0.113.9", "--data", join(folder, "abroad")]);
    expect([abroad.code, abroad.err.split("\n").length]).toEqual([1, 2]);
    const env = { PACKHOUSE_SECRET_KEY: "00".repeat(32) };
    const lost = await packhouse(["keys", "list", "--database-url", "postgres://ann:sesame@127.0.0.1:1/x"], env);
    expect([lost.code, lost.err.split("\n").length, lost.err.includes("sesame")]).toEqual([1, 2, false]);
  });

  test("a port that is in use, before it prints keys", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    const words = ["serve", "--port", String(port), "--data", join(folder, "second")];
    const { code, out, err } = await packhouse(words);
    other.close();
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(`Port ${port} is already in use`);
  });
});
