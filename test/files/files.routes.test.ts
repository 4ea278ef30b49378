// Uploaded files: what is accepted, what is refused, links, and removal.
import { describe, expect, test } from "bun:test";
import { day_ms } from "../../src/core/time.ts";
import { openApp } from "../build/service.ts";
import { joined, jpegOf, pngOf, webpOf } from "./images.ts";

const app = await openApp();
const png_type = { "content-type": "image/png" };
let color = 0;

const upload = (bytes: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}, query = "") =>
  app.call("POST", `/files?kind=logo${query}`, bytes, { headers: { ...png_type, ...headers } });
/** A file of its own. */
const fresh = async () => (await upload(pngOf(8, 8, ++color))).body.data;
const contentOf = (url: string, key: string | null = null): Promise<Response> => {
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  return app.app.handle(new Request(new URL(url, "http://packhouse.test").href, { headers }));
};
/** The status and the code of a refused link. */
const refusedLink = async (url: string) => {
  const answer = await contentOf(url);
  return [answer.status, JSON.parse(await answer.text()).error.code];
};
const refusalOf = async (bytes: Uint8Array<ArrayBuffer>, headers = {}) => {
  const { status, body } = await upload(bytes, headers);
  return [status, body.error.code, body.error.details?.[0]?.field ?? null];
};

describe("an upload", () => {
  test("stores the picture under its own type, and shows it by a link without a key", async () => {
    const { status, body } = await upload(pngOf(300, 100), {}, "&name=shop.png");
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      merchant_id: "mer_1",
      kind: "logo",
      content_type: "image/png",
      name: "shop.png",
      width: 300,
      height: 100,
      in_use: false,
      created_by: { type: "api_key" },
    });
    const content = await contentOf(body.data.url);
    expect(content.status).toBe(200);
    const bytes = await content.bytes();
    expect(bytes.length).toBe(body.data.size_bytes);
    expect(new Bun.CryptoHasher("sha256").update(bytes).digest("hex")).toBe(body.data.sha256);
    expect(Object.fromEntries(content.headers)).toMatchObject({
      "content-type": "image/png",
      "content-disposition": `inline; filename="${body.data.id}.png"`,
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
    expect((await app.read(`/files/${body.data.id}`)).sha256).toBe(body.data.sha256);
    expect((await app.get("/files?kind=logo")).body.data.map(({ id }: { id: string }) => id)).toContain(body.data.id);
  });

  test("goes by the content: a JPEG stays one, others become a PNG, and large ones are scaled down", async () => {
    const jpeg = await upload(await jpegOf(2000, 500));
    expect(jpeg.body.data).toMatchObject({ content_type: "image/jpeg", width: 1024, height: 256 });
    const webp = await upload(await webpOf(40, 20), { "content-type": "application/octet-stream" });
    expect(webp.body.data).toMatchObject({ content_type: "image/png", width: 40, height: 20 });
  });

  test("takes the file of a form, whose name has no folders", async () => {
    const form = new FormData();
    form.set("file", new Blob([pngOf(9, 9)], { type: "text/html" }), "../../etc/pass\u0000wd.html");
    const request = new Response(form);
    const type = request.headers.get("content-type") ?? "";
    const { status, body } = await upload(new Uint8Array(await request.arrayBuffer()), { "content-type": type });
    expect([status, body.data.name, body.data.content_type]).toEqual([201, "passwd.html", "image/png"]);
  });

  test("of the same content returns the same file, also when both are sent at once", async () => {
    const bytes = pngOf(7, 7, 0x33);
    const ids = await Promise.all([upload(bytes), upload(bytes), upload(bytes)]);
    expect(new Set(ids.map(({ body }) => body.data.id)).size).toBe(1);
    const again = await upload(bytes);
    expect(again.body.data.id).toBe(ids[0]?.body.data.id);
  });

  test("repeated with its Idempotency-Key returns the stored response", async () => {
    const key = { "idempotency-key": "upload-1" };
    const [first, second] = [await upload(pngOf(6, 6, 0x44), key), await upload(pngOf(6, 6, 0x44), key)];
    expect(second.body.data).toEqual(first.body.data);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    const other = await upload(pngOf(6, 6, 0x45), key);
    expect([other.status, other.body.error.code]).toEqual([422, "idempotency_key_reused"]);
  });

  test("keeps nothing but the picture", async () => {
    const tail = "PK\x03\x04<script>alert(1)</script>";
    for (const bytes of [joined(pngOf(30, 30, 0x51), tail), joined(await jpegOf(31, 31), tail)]) {
      const { status, body } = await upload(bytes);
      expect(status).toBe(201);
      expect(Buffer.from(await (await contentOf(body.data.url)).bytes()).includes("script")).toBe(false);
    }
  });
});

describe("a refused upload", () => {
  test("is of another type than it may be, whatever is declared", async () => {
    const svg = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    for (const text of [svg, "%PDF-1.7\n", "GIF89a\x01\x00\x01\x00", "<html></html>", "\x00\x01"]) {
      expect(await refusalOf(joined(text))).toEqual([415, "unsupported_media_type", null]);
    }
    expect(await refusalOf(pngOf(5, 5), { "content-type": "text/html" })).toEqual([
      415,
      "unsupported_media_type",
      null,
    ]);
    expect(await refusalOf(pngOf(5, 5), { "content-encoding": "gzip" })).toEqual([415, "unsupported_media_type", null]);
  });

  test("is damaged or cut off", async () => {
    const [png, jpeg, webp] = [pngOf(64, 64), await jpegOf(64, 64), await webpOf(64, 64)];
    const broken = [
      png.slice(0, -30),
      jpeg.slice(0, -2),
      webp.slice(0, -8),
      joined("\x89PNG\r\n\x1a\n"),
      joined("\xff\xd8\xff"),
      joined("RIFF\x00\x00\x00\x00WEBP"),
      // A size that its pixels do not fill.
      pngOf(10, 10, 0, [4000, 4000]),
    ];
    for (const bytes of broken) expect(await refusalOf(bytes)).toEqual([422, "validation_failed", "file"]);
  });

  test("has too many pixels, before they are decoded", async () => {
    for (const size of [
      [60_000, 60_000],
      [4097, 10],
      [10, 4097],
    ] as const) {
      expect(await refusalOf(pngOf(10, 10, 0, size))).toEqual([422, "validation_failed", "file"]);
    }
  });

  test("is empty, too large, or no file", async () => {
    expect(await refusalOf(joined(""))).toEqual([422, "validation_failed", "file"]);
    expect(await refusalOf(new Uint8Array((1 << 20) + 1))).toEqual([413, "payload_too_large", null]);
    const form = joined("--x\r\ncontent-disposition: form-data; name=file\r\n\r\ntext\r\n--x--\r\n");
    const type = "multipart/form-data; boundary=x";
    expect(await refusalOf(form, { "content-type": type })).toEqual([422, "validation_failed", "file"]);
    const cut = joined('--x\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\nab');
    expect((await refusalOf(cut, { "content-type": type }))[0]).toBeGreaterThanOrEqual(400);
    expect((await app.call("POST", "/files", pngOf(5, 5), { headers: png_type })).body.error.code).toBe(
      "validation_failed",
    );
    expect((await app.call("POST", "/files?kind=photo", pngOf(5, 5), { headers: png_type })).status).toBe(422);
  });

  test("is not read to its end when it is too large", async () => {
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 1;
        if (sent > 1000) controller.close();
        else controller.enqueue(new Uint8Array(64 << 10));
      },
    });
    const headers = { ...png_type, authorization: `Bearer ${app.keys.live.full}` };
    const request = new Request("http://packhouse.test/v1/files?kind=logo", { method: "POST", body, headers });
    expect((await app.app.handle(request)).status).toBe(413);
    expect(sent).toBeLessThan(40);
  });
});

describe("a link", () => {
  test("works for a week and is the same all day", async () => {
    const file = await fresh();
    expect((await app.read(`/files/${file.id}`)).url).toBe(file.url);
    app.clocks.live.step(7 * day_ms - day_ms / 2);
    // Only the link is about time here: the file is in use.
    expect((await contentOf(file.url)).status).toBe(200);
    app.clocks.live.step(2 * day_ms);
    expect(await refusedLink(file.url)).toEqual([401, "invalid_signature"]);
  });

  test("is refused when anything in it was changed", async () => {
    const [one, other] = [await fresh(), await fresh()];
    const changed = [
      one.url.replace(one.id, other.id),
      one.url.replace(/expires=\d/, "expires=9"),
      one.url.replace("mode=live", "mode=test"),
      one.url.replace(/signature=../, "signature=00"),
    ];
    for (const url of changed) expect(await refusedLink(url)).toEqual([401, "invalid_signature"]);
    expect((await contentOf(one.url.replace(/\?.*/, ""), app.keys.live.full)).status).toBe(422);
  });

  test("ends when the file is deleted", async () => {
    const file = await fresh();
    expect((await app.call("DELETE", `/files/${file.id}`)).status).toBe(200);
    expect((await contentOf(file.url)).status).toBe(404);
    expect((await app.get(`/files/${file.id}`)).status).toBe(404);
    expect((await app.call("DELETE", `/files/${file.id}`)).status).toBe(404);
    const again = await upload(pngOf(8, 8, color));
    expect(again.body.data.id).not.toBe(file.id);
    expect((await contentOf(again.body.data.url)).status).toBe(200);
  });
});
