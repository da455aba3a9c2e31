// e2e/labs/kill-at-text.ts: runs the real command line and kills a process (-9) after the command printed a text.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('../../headstart', import.meta.url));

export interface KillPoint {
  victim: 'command' | 'qemu' | 'api-server';
  /** In what it prints. */
  text: string;
  afterMs: number;
}

export interface KillResult {
  code: number | null;
  output: string;
  isHit: boolean;
}

/** `pidOf` throws when the process does not run. */
export function runAndKill(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { victim, text: awaited, afterMs }: KillPoint,
  pidOf: (victim: 'qemu' | 'api-server') => number,
): Promise<KillResult> {
  // In its own group, so that the launcher's children are killed as well.
  const child = spawn(LAUNCHER, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let [output, isHit, isDue] = ['', false, true];
  const strike = () => {
    try {
      process.kill(victim === 'command' ? -child.pid! : pidOf(victim), 'SIGKILL');
      isHit = true;
    } catch {
      // It has ended: the command was faster than the kill.
    }
  };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (!isDue || !output.includes(awaited)) return;
      isDue = false;
      const timer = setTimeout(strike, afterMs);
      child.once('close', () => clearTimeout(timer)); // it must not hit the next command
    });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, output, isHit }));
  });
}
