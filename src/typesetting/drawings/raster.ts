import { readFileSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import wasmPath from "@resvg/resvg-wasm/index_bg.wasm" with { type: "file" };

type RenderedImage = ReturnType<InstanceType<typeof Resvg>["render"]>;

let ready: Promise<void> | undefined;

/** Draws an SVG of its own size, and hands the picture to `read`; neither is there any more afterwards. */
export async function rasterized<Read>(svg: string, read: (image: RenderedImage) => Read): Promise<Read> {
  ready ??= initWasm(rasterizer());
  await ready;
  const drawn = new Resvg(svg, { font: { loadSystemFonts: false } });
  try {
    const image = drawn.render();
    try {
      return read(image);
    } finally {
      image.free();
    }
  } finally {
    drawn.free();
  }
}

/** The library's program: packed in the compiled binary, plain in the source tree. */
function rasterizer(): Uint8Array {
  const bytes = readFileSync(wasmPath);
  return bytes.readUInt32LE(0) === zstd_magic ? zstdDecompressSync(bytes) : bytes;
}

// The first four bytes of everything that zstd has packed.
const zstd_magic = 0xfd2fb528;
