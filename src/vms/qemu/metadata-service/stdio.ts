// vms/qemu/metadata-service/stdio.ts: the program QEMU starts for every connection to the platform's addresses: `node stdio.ts FOLDER`.
// Standard input, output *and* error are connected to the guest, so it must print nothing but responses. It is a separate program
// because loading the headstart CLI takes twice as long as this takes to respond.
import { serveConnection } from './connection.ts';
import { type PlatformResponse, renderResponse } from './http.ts';
import { respondFromFolder } from './serve-folder.ts';

/** Idle connections must not accumulate processes. */
const IDLE_MS = 5000;
/** Time for the guest to read a refusal before we close the connection. */
const LINGER_MS = 500;

process.on('uncaughtException', () => process.exit(70)); // a stack trace would go to the guest
const [folder] = process.argv.slice(2);
if (folder === undefined) process.exit(2);
const idle = setTimeout(() => process.exit(0), IDLE_MS);

async function* received(): AsyncGenerator<Buffer> {
  for await (const chunk of process.stdin) {
    idle.refresh();
    yield chunk as Buffer;
  }
}

process.stdout.on('error', () => process.exit(0)); // the guest disconnected
const send = (response: PlatformResponse, isLast: boolean) =>
  new Promise<void>((resolve) => {
    process.stdout.write(renderResponse(response, { nowMs: Date.now(), isLast }), () => resolve());
  });
// No top-level await: in the executable this is a CommonJS script.
void serveConnection({
  input: received(),
  exchange: (request) => send(respondFromFolder(folder, request, Date.now()), request.isLast),
  async refuse(response) {
    await send(response, true);
    setTimeout(() => process.exit(0), LINGER_MS);
  },
}).then(() => process.exit(0));
