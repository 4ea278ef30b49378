// What a command asks the server of its own machine.

/** How a server on this machine answered; `null` where nothing answers in time. */
interface OwnAnswer {
  readonly status_code: number;
  readonly body: string;
}

/**
 * Asks a server of this machine. Its certificate is not looked at: it is for the names by which others reach it. No
 * redirect is followed.
 */
export async function askOwnServer(url: string, timeout_ms: number): Promise<OwnAnswer | null> {
  try {
    const answer = await fetch(url, {
      ...{ redirect: "manual", tls: { rejectUnauthorized: false } },
      signal: AbortSignal.timeout(timeout_ms),
    });
    return { status_code: answer.status, body: await answer.text() };
  } catch {
    return null;
  }
}
