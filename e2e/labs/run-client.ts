// e2e/labs/run-client.ts: a client of the simulator that prints its steps, which this shows as they are done.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface ClientEnd {
  code: number | null;
  lines: string[];
}

/** `name` is in front of each line. */
export async function runClient(
  name: string,
  [program, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<ClientEnd> {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      process.stderr.write(`${name}: ${line}\n`);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, lines };
}
