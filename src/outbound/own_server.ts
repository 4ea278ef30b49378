// Stands alone because `packhouse health` must start fast: a request to the local server.

/** The local server's response. */
interface OwnAnswer {
  readonly status_code: number;
  readonly body: string;
}

/**
 * Sends a GET to a server on this machine; null without a response in time. Its certificate is not checked, because it
 * is for the names by which other machines reach the server. Redirects are not followed.
 */
export async function askOwnServer(url: string, timeout_ms: number): Promise<OwnAnswer | null> {
  try {
    const answer = await fetch(url, {
      redirect: "manual",
      tls: { rejectUnauthorized: false },
      signal: AbortSignal.timeout(timeout_ms),
    });
    return { status_code: answer.status, body: await answer.text() };
  } catch {
    return null;
  }
}
