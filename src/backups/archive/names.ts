// What the files of backups are called, and what lies in them.

/** The entries that every archive begins and ends with. */
export const manifest_entry = "manifest.json";
export const sums_entry = "SHA256SUMS";

/** How the names of all archives begin. */
export const archive_beginning = "packhouse-";

const form = /^packhouse-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar\.zst$/;

/** The name of an archive that is begun at a moment in milliseconds: `packhouse-20261124T173000Z.tar.zst`. */
export function archiveName(at: number): string {
  const moment = new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
  return `${archive_beginning}${moment.replace(/[-:]/g, "")}.tar.zst`;
}

/** The moment that the name of an archive tells, in milliseconds; null when the name is none of an archive. */
export function momentOfName(name: string): number | null {
  const [, year, month, day, hour, minute, second] = form.exec(name) ?? [];
  if (second === undefined) return null;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? null : at;
}
