import * as net from "node:net";

/** A mail server that accepts what the test allows, and records it. */
export async function openMailServer() {
  const mails: string[] = [];
  const server = net.createServer((socket) => converse(socket, mails, () => current));
  let current = true;
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as net.AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    take: (next: boolean) => {
      current = next;
    },
    stop: () => server.close(),
  };
}

function converse(socket: net.Socket, mails: string[], takes: () => boolean): void {
  let waiting = "";
  let mail: string[] | null = null;
  const hear = (line: string) => {
    if (mail === null) {
      if (/^DATA/i.test(line)) mail = [];
      const refused = /^MAIL/i.test(line) && !takes();
      return refused
        ? "451 come again"
        : /^DATA/i.test(line)
          ? "354 go on"
          : /^QUIT/i.test(line)
            ? "221 bye"
            : "250 ok";
    }
    if (line !== ".") {
      mail.push(line);
      return null;
    }
    mails.push(mail.join("\n"));
    mail = null;
    return "250 taken";
  };
  socket.write("220 mail.test\r\n");
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    waiting += chunk;
    const lines = waiting.split("\r\n");
    waiting = lines.pop() ?? "";
    for (const line of lines) {
      const answer = hear(line);
      if (answer !== null) socket.write(`${answer}\r\n`);
    }
  });
}
