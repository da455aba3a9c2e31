// demo/apt/run-apt.ts: runs the real apt-get, line by line. apt handles Ctrl-C: it stops between two packages, and we stop after it.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Interrupted } from '../../src/base/errors.ts';
import type { RunApt } from './install-packages.ts';

const SILENT_MS = 10_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export const runApt: RunApt = (args, onLine) =>
  new Promise((resolve, reject) => {
    // Its messages are parsed, so they must be in English, and it must not ask questions.
    const env = { ...process.env, LC_ALL: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' };
    const child = spawn('apt-get', ['-q', ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (text) => {
        const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ').trim();
        if (line === '') return;
        lines.push(line);
        onLine(line);
      });
    // Still working: repeat the last message.
    const ticker = setInterval(() => lines.length > 0 && onLine(lines.at(-1)!), SILENT_MS);
    let interruptedBy: NodeJS.Signals | undefined;
    const interrupt = (signal: NodeJS.Signals) => {
      interruptedBy = signal;
      child.kill('SIGINT');
    };
    for (const signal of SIGNALS) process.on(signal, interrupt);
    const end = () => {
      clearInterval(ticker);
      for (const signal of SIGNALS) process.off(signal, interrupt);
    };
    child.on('error', (error) => {
      end();
      reject(error);
    });
    child.on('close', (code) => {
      end();
      if (interruptedBy) reject(new Interrupted(interruptedBy));
      else resolve({ code: code ?? 1, lines });
    });
  });
