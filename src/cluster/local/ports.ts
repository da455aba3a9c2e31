// cluster/local/ports.ts: ports that nobody uses, as the kernel says.
import { createServer } from 'node:net';
import { UserError } from '../../base/errors.ts';

/** Below those that the kernel gives to whoever connects somewhere, so that a port that is remembered is there the next time, too. */
const [FIRST, LAST] = [20_000, 29_999];

/** As many as asked for, none of them in `avoided`. */
export async function takePorts(
  count: number,
  { isPortFree, random }: { isPortFree(port: number): Promise<boolean>; random(): number },
  avoided: ReadonlySet<number>,
): Promise<number[]> {
  const range = LAST - FIRST + 1;
  // Not always the same ones first: two clusters that come up at once would both take them.
  const start = Math.floor(random() * range);
  const taken: number[] = [];
  for (let step = 0; step < range && taken.length < count; step++) {
    const port = FIRST + ((start + step) % range);
    if (!avoided.has(port) && (await isPortFree(port))) taken.push(port);
  }
  if (taken.length === count) return taken;
  throw new UserError(`no ${count} ports from ${FIRST} to ${LAST} are free on 127.0.0.1`, {
    code: 'cluster/no-port',
    kept: 'Nothing was started.',
    exitCode: 1,
  });
}

export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
