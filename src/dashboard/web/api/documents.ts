import { getDocument, type Params } from "./client.ts";

/** Opens a document of the API, such as a packing slip, in a tab of its own. Call it as a click's first act. */
export async function openDocument(path: string, accept = "application/pdf", params: Params = {}): Promise<void> {
  // Opened at once: a browser lets no tab open once an answer has been waited for.
  const tab = window.open("", "_blank");
  try {
    const address = URL.createObjectURL(await getDocument(path, accept, { params }));
    if (tab === null) location.assign(address);
    else tab.location.href = address;
    setTimeout(() => URL.revokeObjectURL(address), 600_000);
  } catch (error) {
    tab?.close();
    throw error;
  }
}

/** Saves what the API answers as a file of that name. */
export async function saveFile(path: string, name: string, accept = "text/csv", params: Params = {}): Promise<void> {
  saveBlob(await getDocument(path, accept, { params }), name);
}

/** Saves what this page holds as a file of that name. */
export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
