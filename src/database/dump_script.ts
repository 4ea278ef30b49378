// The SQL that `pg_restore` makes of a dump, for servers that are older than the program.

/** The settings stand at the front of a script. */
const front_bytes = 4096;
/** A server before PostgreSQL 17 refuses it, and needs none: what loads a dump sets no such limit. */
const unknown = /^SET transaction_timeout = 0;\r?\n/m;

/** Leaves out of a script what an older server does not know. */
export function forOlderServers(): TransformStream<Uint8Array, Uint8Array> {
  let front: Buffer | null = Buffer.alloc(0);
  const cut = (text: Buffer) => Buffer.from(text.toString("latin1").replace(unknown, ""), "latin1");
  return new TransformStream({
    transform(piece, out) {
      if (front === null) return out.enqueue(piece);
      front = Buffer.concat([front, piece]);
      if (front.length < front_bytes) return;
      out.enqueue(cut(front));
      front = null;
    },
    flush(out) {
      if (front !== null) out.enqueue(cut(front));
    },
  });
}
