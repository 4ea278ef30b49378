import { getDocument, type Params } from "./client.ts";

/** Opens a document of the API, such as a packing slip, in a new tab. Call it first in a click handler. */
export async function openDocument(path: string, accept = "application/pdf", params: Params = {}): Promise<void> {
  // Browsers block a tab that is opened after a wait, so it is opened before the request.
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

/** Saves an answer of the API as a file with this name. */
export async function saveFile(path: string, name: string, accept = "text/csv", params: Params = {}): Promise<void> {
  saveBlob(await getDocument(path, accept, { params }), name);
}

/** Saves a blob as a file with this name. */
export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
