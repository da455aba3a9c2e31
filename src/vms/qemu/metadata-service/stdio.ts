// vms/qemu/metadata-service/stdio.ts: the program QEMU starts for every connection to the platform's addresses: `node stdio.ts FOLDER`.
// The guest is on standard input, output *and* error, so nothing but answers may ever be printed. It is a program of its own
// because the command line takes twice as long to load as this takes to answer.
import { serveConnection } from './connection.ts';
import { type PlatformResponse, renderResponse } from './http.ts';
import { respondFromFolder } from './serve-folder.ts';

/** A guest that opens connections and says nothing must not collect processes here. */
const IDLE_MS = 5000;
/** Time for a refusal to be read before the connection is closed on whatever else the guest sends. */
const LINGER_MS = 500;

process.on('uncaughtException', () => process.exit(70)); // its text would go to the guest
const [folder] = process.argv.slice(2);
if (folder === undefined) process.exit(2);
const idle = setTimeout(() => process.exit(0), IDLE_MS);

async function* received(): AsyncGenerator<Buffer> {
  for await (const chunk of process.stdin) {
    idle.refresh();
    yield chunk as Buffer;
  }
}

process.stdout.on('error', () => process.exit(0)); // the guest has gone
const send = (response: PlatformResponse, isLast: boolean) =>
  new Promise<void>((resolve) => {
    process.stdout.write(renderResponse(response, { nowMs: Date.now(), isLast }), () => resolve());
  });
await serveConnection({
  input: received(),
  exchange: (request) => send(respondFromFolder(folder, request, Date.now()), request.isLast),
  async refuse(response) {
    await send(response, true);
    setTimeout(() => process.exit(0), LINGER_MS);
  },
});
process.exit(0);
