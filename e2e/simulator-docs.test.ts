// e2e/simulator-docs.test.ts: does docs/simulator.md work? Runs every command of its walk-through, in order, as printed there.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

interface Step {
  command: string;
  /** The output in the document. */
  lines: string[];
}

const [first, ...steps] = walkThrough(readFileSync(join(root, 'docs/simulator.md'), 'utf8'));

/** `$ ` opens a command, `…` stands for lines that the document leaves out. */
function walkThrough(document: string): Step[] {
  const section = document.split(/^## /m).find((part) => part.startsWith('Walk-through')) ?? '';
  const text = [...section.matchAll(/```console\n([\s\S]*?)```/g)].map(([, block]) => block).join('');
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = '', ...lines] = step.trimEnd().split('\n');
      return { command, lines: lines.filter((line) => line !== '' && line !== '…').map(withoutTimes) };
    });
}

/** The day of the version, and the seconds in front of a line. */
function withoutTimes(line: string): string {
  return line.replace(/\d{4}\.\d\d\.\d\d/g, 'VERSION').replace(/^ +(?=\d)[\dmins ]+ {2}/, 'TIME  ');
}

const folder = mkdtempSync(join(tmpdir(), 'headstart-simulator-docs-'));
let simulator: ChildProcess;
let shell: ChildProcess;
let said = '';

beforeAll(() => {
  symlinkSync(join(root, 'headstart'), join(folder, 'headstart')); // sim.env is written here, not in the repository
  simulator = spawn('bash', ['-c', `exec ${first!.command}`], { cwd: folder });
  shell = spawn('bash', ['-s'], { cwd: folder });
  for (const stream of [shell.stdout!, shell.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
});

afterAll(() => {
  simulator?.kill();
  shell?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** In one shell, so that variables of a command are set for the next. */
async function type(command: string): Promise<{ code: string; lines: string[] }> {
  said = '';
  shell.stdin!.write(`{ ${command}\n} 2>&1; echo "ended with $?"\n`);
  let end: RegExpExecArray | null = null;
  while (!end) {
    await once(shell.stdout!, 'data');
    end = /^ended with (\d+)\n/m.exec(said);
  }
  return { code: end[1]!, lines: said.slice(0, end.index).split('\n').map(withoutTimes) };
}

/** The documented lines, in order; other lines may be between them. */
function expectInOrder(printed: readonly string[], documented: readonly string[]): void {
  let from = 0;
  for (const line of documented) {
    const at = printed.indexOf(line, from);
    expect(at, `${JSON.stringify(line)} after line ${from} of\n${printed.join('\n')}`).toBeGreaterThanOrEqual(0);
    from = at + 1;
  }
}

describe('the walk-through of docs/simulator.md', () => {
  let settings = '';

  test(`$ ${first?.command}`, async () => {
    let printed = '';
    simulator.stderr!.setEncoding('utf8');
    while (!printed.includes('Ctrl-C stops the simulator.')) printed += (await once(simulator.stderr!, 'data'))[0];
    expectInOrder(printed.split('\n'), first!.lines);
    settings = readFileSync(join(folder, 'sim.env'), 'utf8');
  });

  test.each(steps)('$ $command', async ({ command, lines }) => {
    const ran = await type(command);
    expect(ran.code, ran.lines.join('\n')).toBe('0');
    expectInOrder(ran.lines, lines);
  });

  test('finishes a run, rolls it back and removes it', () => {
    const verbs = steps.map(({ command }) => /prototype (\w+)/.exec(command)?.[1] ?? command);
    expect(verbs).toEqual(expect.arrayContaining(['source sim.env', 'plan', 'run', 'status', 'rollback', 'uninstall']));
  });

  test('Ctrl-C stops the simulator and leaves nothing behind', async () => {
    const temporary = dirname(/NODE_EXTRA_CA_CERTS=(.+)/.exec(settings)![1]!);
    expect(existsSync(temporary)).toBe(true);
    simulator.kill('SIGINT');
    expect(await once(simulator, 'exit')).toEqual([130, null]);
    expect(existsSync(temporary)).toBe(false);
  });
});
