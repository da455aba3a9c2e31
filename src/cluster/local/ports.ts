// cluster/local/ports.ts: finds free ports on 127.0.0.1.
import { createServer } from 'node:net';
import { UserError } from '../../base/errors.ts';

/** Below the kernel's ephemeral ports, so that a recorded port is usually free the next time. */
const [FIRST, LAST] = [20_000, 29_999];

/** `count` free ports, none of them in `avoided`. */
export async function takePorts(
  count: number,
  { isPortFree, random }: { isPortFree(port: number): Promise<boolean>; random(): number },
  avoided: ReadonlySet<number>,
): Promise<number[]> {
  const range = LAST - FIRST + 1;
  // A random start, so that two clusters that start at once do not choose the same ports.
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
