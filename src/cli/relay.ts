// cli/relay.ts: the program QEMU starts for every connection of a guest to a service of its pool: `node relay.ts HOST PORT`.
// Standard input, output *and* error are connected to the guest, so this program must print nothing.
import { connect } from 'node:net';

process.on('uncaughtException', () => process.exit(70)); // its text would go to the guest
const [host, port] = process.argv.slice(2);
if (host === undefined || !/^\d{1,5}$/.test(port ?? '')) process.exit(2);

// Each side may keep sending after the other has finished: a request that was sent completely still gets its response.
const service = connect({ host, port: Number(port), allowHalfOpen: true });
process.stdin.pipe(service).pipe(process.stdout, { end: false });
for (const stream of [process.stdin, process.stdout, service]) stream.on('error', () => process.exit(1));
service.on('end', () => process.stdout.write('', () => process.exit(0))); // the service has sent everything
