// Limits on the number of folders, files and repeated names, which keep the code easy to navigate.
import { featureOf } from "./imports.ts";
import { type Node, nameOf, type Source } from "./source.ts";

export const limits = { folders: 110, loose: 1, small_files: 60, small_lines: 40, rooms: 6, repeats: 3, repeated: 10 };

const room_files = 3;
const room_lines = 300;
const web = /^src\/dashboard\/web\//;
const deeper = /^src\/(?:\w+\/)+(?:carriers|connectors)\/|^src\/dashboard\/web\//;

const linesOf = ({ text }: Source) => text.trimEnd().split("\n").length;
const inSource = (sources: readonly Source[]) => sources.filter(({ file }) => file.startsWith("src/"));
const foldersOf = (file: string) => {
  const parts = file.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
};

/** Counts over their limits. */
export function overLimits(sources: readonly Source[], max = limits): string[] {
  const all = inSource(sources);
  const folders = new Set(all.flatMap(({ file }) => foldersOf(file)));
  const loose = all.filter(({ file }) => file.split("/").length === 2);
  const small = all.filter((source) => linesOf(source) < max.small_lines);
  const repeated = [...typeNames(all)].filter(([, files]) => files.length >= max.repeats);
  const counts: [count: number, max: number, what: string][] = [
    [folders.size, max.folders, "folders in src"],
    [loose.length, max.loose, "loose files in src"],
    [small.length, max.small_files, `files under ${max.small_lines} lines: ${small.map(({ file }) => file).join(" ")}`],
    [repeated.length, max.repeated, `type names in three files or more: ${repeated.map(([name]) => name).join(" ")}`],
  ];
  return counts
    .filter(([count, most]) => count > most)
    .map(([count, most, what]) => `${count} (at most ${most}) ${what}`);
}

/** Type names that more than three files declare. */
export function repeatedTypes(sources: readonly Source[]): string[] {
  return [...typeNames(inSource(sources))]
    .filter(([, files]) => files.length > limits.repeats)
    .map(([name, files]) => `${name} is declared in ${files.join(" ")}`);
}

/** The files that declare each type name. */
function typeNames(sources: readonly Source[]): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { file, tree } of sources) {
    for (const statement of tree["body"] as Node[]) {
      const declared = (statement["declaration"] ?? statement) as Node;
      if (!/^(?:TSInterfaceDeclaration|TSTypeAliasDeclaration|ClassDeclaration)$/.test(declared.type)) continue;
      const name = nameOf(declared["id"]);
      const files = found.get(name) ?? [];
      if (!files.includes(file)) found.set(name, [...files, file]);
    }
  }
  return found;
}

/** Features with too many subfolders, subfolders that are too small, and nested subfolders. */
export function needlessRooms(sources: readonly Source[]): string[] {
  const rooms = new Map<string, Source[]>();
  const deep: string[] = [];
  for (const source of inSource(sources)) {
    const parts = source.file.split("/").slice(1, -1);
    if (parts.length > 2 && !deeper.test(source.file)) deep.push(`${source.file} lies in a room within a room`);
    if (parts.length < 2 || web.test(source.file)) continue;
    const room = parts.slice(0, 2).join("/");
    rooms.set(room, [...(rooms.get(room) ?? []), source]);
  }
  const names = [...rooms.keys()];
  const crowded = [...new Set(names.map((room) => room.split("/")[0] ?? ""))]
    .map((feature) => [feature, names.filter((room) => room.startsWith(`${feature}/`)).length] as const)
    .filter(([, count]) => count > limits.rooms)
    .map(([feature, count]) => `${feature} has ${count} rooms`);
  const small = [...rooms]
    .filter(([, files]) => files.length < room_files)
    .filter(([, files]) => files.reduce((sum, one) => sum + linesOf(one), 0) < room_lines)
    .map(([room]) => `${room} is a room of less than ${room_files} files and ${room_lines} lines`);
  return [...crowded, ...small, ...deep];
}

const vague = /\/(?:commands|rules|store|helpers|utils|schemas|status)\.tsx?$/;

/** Files with a vague name, and small files without a comment on why they are separate. */
export function vagueFiles(sources: readonly Source[]): string[] {
  return inSource(sources)
    .filter(({ file }) => vague.test(file) && featureOf(file) !== null)
    .map(({ file }) => `${file} does not say what it holds`);
}
