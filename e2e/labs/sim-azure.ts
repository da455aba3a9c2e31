// e2e/labs/sim-azure.ts: `headstart sim azure` as a process of its own, as a user starts it, and the variables it prints.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface SimProcess {
  /** What another terminal sets. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('../../src/cli/bin.ts', import.meta.url));

export async function startSimAzure(...options: string[]): Promise<SimProcess> {
  const argv = ['--disable-warning=ExperimentalWarning', PROGRAM, 'sim', 'azure', '--json', ...options];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const announced = () => {
    try {
      return (JSON.parse(printed) as { env: Record<string, string> }).env;
    } catch {
      return undefined;
    }
  };
  for (let env = announced(); ; env = announced()) {
    if (env) {
      const stop = async () => {
        child.kill('SIGINT');
        await ended;
      };
      return { env, stop };
    }
    const [first] = await Promise.race([once(child.stdout, 'data'), ended]);
    if (typeof first !== 'string') throw new Error(`the simulator ended with ${first}: ${printed}`);
  }
}
