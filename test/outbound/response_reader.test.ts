// How a response is read, whatever arrives, and what of the runtime's parser this depends on.
import { expect, test } from "bun:test";
import { httpParserOf, ResponseReader } from "../../src/outbound/response_reader.ts";

// If this throws, the runtime's parser has changed: response_reader.ts must be adapted to it.
const HTTPParser = httpParserOf(process);

/** Reads a response that arrives in these chunks, after which the connection ends. */
function readIn(pieces: readonly Uint8Array[], bodyless: boolean) {
  const reader = new ResponseReader(HTTPParser);
  reader.expect(1000, bodyless);
  const isOver = (piece: Uint8Array) => reader.read(piece) !== null || reader.progress === "whole" || reader.overlong;
  if (!pieces.some(isOver)) reader.end();
  if (reader.progress === "nothing") return null;
  const { status_code, headers, body, complete } = reader.answer();
  const how = complete ? (reader.lasting ? "lasts" : "ends") : "cut";
  return { said: `${status_code} ${Buffer.from(body).toString("latin1")}, ${how}`, headers };
}

const ok = "HTTP/1.1 200 OK\r\n";
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
const early = "HTTP/1.1 103 Early Hints\r\nContent-Length: 3\r\nLink: </a>\r\n\r\n";
const headers_40 = Array.from({ length: 40 }, (_, n) => `X-${n}: ${n}\r\n`).join("");
const sized = (bytes: string, more = "") => `${ok}${more}Content-Length: ${bytes.length}\r\n\r\n${bytes}`;

test.each([
  ["a length", sized("ok"), "200 ok, lasts"],
  ["no body", sized(""), "200 , lasts"],
  ["any bytes", sized("\u0000\u00ff\u007f\r\n\r\n"), "200 \u0000\u00ff\u007f\r\n\r\n, lasts"],
  ["no length", `${ok}\r\nall of it`, "200 all of it, ends"],
  ["chunks", `${chunked}3;x="y;z"\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n`, "200 abc0123456789, lasts"],
  ["trailers", `${chunked}3\r\nabc\r\n0\r\nT: u\r\n${headers_40}\r\n`, "200 abc, lasts"],
  ["chunks and a length", `${ok}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`, "none"],
  ["a bad chunk", `${chunked}3\r\nabc\r\nzz\r\n`, "200 abc, cut"],
  ["a chunk that does not end", `${chunked}3\r\nabcX0\r\n\r\n`, "200 abc, cut"],
  ["a length too long", `${ok}Content-Length: 9\r\n\r\nabc`, "200 abc, cut"],
  ["two lengths", `${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`, "none"],
  ["a length that is none", `${ok}Content-Length: 0x2\r\n\r\nok`, "none"],
  ["204 and a length", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", "204 , lasts"],
  ["304 and a length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "304 , lasts"],
  ["a head to HEAD", `${ok}Content-Length: 500\r\n\r\n`, "200 , lasts"],
  ["announcements", `HTTP/1.1 100 Continue\r\n\r\n${early}${early}${sized("ok")}`, "200 ok, lasts"],
  ["a long announcement", `HTTP/1.1 103 Early\r\n${headers_40}\r\n${sized("ok", "X-A: b\r\n")}`, "200 ok, lasts"],
  ["an announcement and many headers", `${early}${sized("ok", headers_40)}`, "200 ok, lasts"],
  ["only announcements", early, "none"],
  ["another protocol", "HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n\u0001\u0002", "101 , ends"],
  ["an offer of another", sized("ok", "Upgrade: h2c\r\nConnection: upgrade\r\n"), "200 ok, lasts"],
  ["HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nold", "200 old, ends"],
  ["its end", sized("a", "Connection: close\r\n"), "200 a, ends"],
  ["a folded header", sized("ok", "X-A: one\r\n two\r\n"), "none"],
  ["empty headers", sized("ok", "X-A:\r\nX-B: \r\nX-C:d \r\n"), "200 ok, lasts"],
  ["bare line feeds", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", "none"],
  ["a NUL", sized("ok", "X-A: a\u0000b\r\n"), "none"],
  ["a status below 100", "HTTP/1.1 099 Low\r\nContent-Length: 2\r\n\r\nok", "99 ok, lasts"],
  ["another language", "220 mail.example ESMTP\r\n", "none"],
  ["half a head", `${ok}X-A: b\r\nX-B`, "none"],
])("with %s is read the same however it is split in transit", (name, said, expected) => {
  const bytes = Uint8Array.from(Buffer.from(said, "latin1"));
  const read = (...pieces: Uint8Array[]) => readIn(pieces, name === "a head to HEAD");
  const whole = read(bytes);
  expect(whole?.said ?? "none").toBe(expected);
  // `slice` copies, so that nothing is read beyond a chunk.
  for (let at = 1; at < bytes.length; at += 1) {
    expect([at, read(bytes.slice(0, at), bytes.slice(at))]).toEqual([at, whole]);
  }
  expect(read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole);
});

test("longer than its limit is cut, and one of that length is whole", () => {
  for (const [length, how] of [
    [1000, "lasts"],
    [1001, "cut"],
  ] as const) {
    const body = "x".repeat(length);
    for (const said of [sized(body), `${chunked}${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`]) {
      expect(readIn([Buffer.from(said)], false)?.said.split(", ")[1]).toBe(how);
    }
  }
});

test.each([1, 1000, 100_000])("with a head above 16 KiB is refused, in chunks of %d bytes", (size) => {
  const readHead = (kibibytes: number) => {
    const bytes = Buffer.from(`${ok}X-A: ${"a".repeat(kibibytes * 1024)}\r\nContent-Length: 0\r\n\r\n`);
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => n * size);
    return readIn(
      pieces.map((at) => bytes.subarray(at, at + size)),
      true,
    );
  };
  expect(readHead(15)?.said).toBe("200 , lasts");
  expect(readHead(17)).toBeNull();
});

const numbers = ["RESPONSE", "kOnMessageBegin", "kOnHeaders", "kOnHeadersComplete", "kOnBody", "kOnMessageComplete"];
const exporting = (parser: unknown) => ({ binding: () => ({ HTTPParser: parser }) });
const parserWith = (change: object) => exporting(Object.assign(class extends HTTPParser {}, change));

/** Puts something before the parts of a head. */
class MovedParts extends HTTPParser {
  override initialize(kind: number, resource: object, head_bytes_max: number): void {
    super.initialize(kind, resource, head_bytes_max);
    Object.defineProperty(this, HTTPParser.kOnHeadersComplete, {
      set: (callback: (...parts: unknown[]) => number) =>
        Object.defineProperty(this, HTTPParser.kOnHeadersComplete, {
          value: (...parts: unknown[]) => callback(null, ...parts),
        }),
    });
  }
}

class Thrower extends HTTPParser {
  override execute(bytes: Uint8Array): number {
    const parsed = super.execute(bytes);
    if (parsed instanceof Error) throw parsed;
    return parsed;
  }
}

test.each([
  ["without the function that returns it", {}],
  [
    "that keeps it to itself",
    {
      binding() {
        throw new Error("No such module: http_parser");
      },
    },
  ],
  ["with nothing in its place", { binding() {} }],
  ["with something else in its place", exporting(class {})],
  ["whose parser throws its errors", exporting(Thrower)],
  ["whose parser reports the parts of a head in another order", exporting(MovedParts)],
  ...numbers.map((name) => [`without ${name}`, parserWith({ [name]: undefined })] as const),
  ...numbers.map((name) => [`with another ${name}`, parserWith({ [name]: 77 })] as const),
])("a runtime %s is refused by name", (_name, runtime) => {
  expect(() => httpParserOf(runtime)).toThrow(
    `The HTTP parser of Bun ${Bun.version} does not work as Packhouse expects.`,
  );
});
