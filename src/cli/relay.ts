// cli/relay.ts: the program QEMU starts for every connection of a guest to a service of its pool: `node relay.ts HOST PORT`.
// The guest is on standard input, output *and* error, so nothing may ever be printed.
import { connect } from 'node:net';

process.on('uncaughtException', () => process.exit(70)); // its text would go to the guest
const [host, port] = process.argv.slice(2);
if (host === undefined || !/^\d{1,5}$/.test(port ?? '')) process.exit(2);

// Each side may go on sending after the other has finished: a request sent to its end still gets its answer.
const service = connect({ host, port: Number(port), allowHalfOpen: true });
process.stdin.pipe(service).pipe(process.stdout, { end: false });
for (const stream of [process.stdin, process.stdout, service]) stream.on('error', () => process.exit(1));
service.on('end', () => process.stdout.write('', () => process.exit(0))); // it has nothing more to say
