import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommandResult, type RunCommand, runCommand } from '../../base/command.ts';
import type { CommandItem, FileItem } from './items.ts';
import { takeItem } from './take.ts';
import { createFakeMachine, type FakeMachine } from './testing.ts';

let fake: FakeMachine;
beforeEach(() => {
  fake = createFakeMachine();
});
afterEach(() => fake.remove());

const ran = (more: Partial<CommandResult> = {}): CommandResult => ({
  outcome: 'exited',
  code: 0,
  stdout: Buffer.alloc(0),
  stderr: '',
  ...more,
});
const machine = (run: RunCommand = async () => ran()) => ({ run, root: fake.root, env: fake.env });
const limits = { timeoutMs: 5_000, maxBytes: 2 << 20, describesBoot: false };
const command = (...tries: CommandItem['tries']): CommandItem => ({ kind: 'command', name: 'c.txt', tries, ...limits });
const file = (pattern: string, more: Partial<FileItem> = {}): FileItem => ({
  kind: 'file',
  pattern,
  keep: 'end',
  ...limits,
  ...more,
});
const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes!).toString();

describe('takeItem for a command', () => {
  it('falls back to the older command if the newer one fails', async () => {
    fake.addProgram('tool', 'case "$*" in *new*) echo "unrecognized option" >&2; exit 1 ;; *) echo old ;; esac');
    const { members, missed } = await takeItem(command(['tool', '--new'], ['tool']), machine(runCommand));
    expect(members.map(({ name, bytes }) => [name, text(bytes)])).toEqual([['c.txt', 'old\n']]);
    expect(missed).toEqual([]);
  });

  it('runs the command with English output and in UTC', async () => {
    fake.addProgram('tool', 'echo "$LC_ALL $TZ"');
    const { members } = await takeItem(command(['tool']), machine(runCommand));
    expect(text(members[0]?.bytes)).toBe('C.UTF-8 UTC\n');
  });

  it('keeps the complete lines of too long an output, with a note', async () => {
    const run: RunCommand = async () => ran({ outcome: 'cut', code: null, stdout: Buffer.from('{"a":1}\n{"b"') });
    const { members } = await takeItem(command(['tool']), machine(run));
    expect(members).toMatchObject([{ note: 'only the first 2 MiB' }]);
    expect(text(members[0]?.bytes)).toBe('{"a":1}\n');
  });

  it.each<[Partial<CommandResult>, string]>([
    [{ outcome: 'missing', code: null }, 'tool is not installed'],
    [{ outcome: 'timed-out', code: null }, 'tool timed out after 5 s'],
    [{ outcome: 'aborted', code: null }, 'interrupted'],
    [{ code: 3 }, 'tool failed with exit code 3'],
    [{ code: 3, stderr: 'no rights\nmore' }, 'tool failed: no rights'],
    [{ code: 0 }, 'tool printed nothing: no data, or no permission to read it'],
    [{ code: 0, stderr: 'no journal' }, 'no journal'],
  ])('reports %j as missed: %s', async (how, why) => {
    expect(
      await takeItem(
        command(['tool']),
        machine(async () => ran(how)),
      ),
    ).toEqual({
      members: [],
      missed: [{ name: 'c.txt', why }],
    });
  });

  it.each(['missing', 'aborted'] as const)('does not try the older command if the first is %s', async (outcome) => {
    let runs = 0;
    const run: RunCommand = async () => {
      runs++;
      return ran({ outcome, code: null });
    };
    await takeItem(command(['tool', '--new'], ['tool']), machine(run));
    expect(runs).toBe(1);
  });
});

describe('takeItem for a file', () => {
  it('collects every matching path, in order', async () => {
    for (const name of ['b.json', 'a.json', 'c.txt']) fake.writeFile(`var/x/${name}`, name);
    const { members } = await takeItem(file('/var/*/*.json'), machine());
    expect(members.map(({ name }) => name)).toEqual(['var/x/a.json', 'var/x/b.json']);
  });

  it('keeps the end of a file over the limit, from a complete line on, or skips it', async () => {
    fake.writeFile('log', `first\n${`${'x'.repeat(1023)}\n`.repeat(2 << 10)}last\n`);
    const { members } = await takeItem(file('/log'), machine());
    expect(members[0]?.note).toBe('only the last 2 MiB');
    expect(text(members[0]?.bytes)).toMatch(/^x{1023}\n.*\nlast\n$/s);
    expect((await takeItem(file('/log', { keep: 'none' }), machine())).missed).toEqual([
      { name: 'log', why: 'larger than 2 MiB' },
    ]);
  });

  it('reports a missing file and a FIFO as missed', async () => {
    fake.writeFile('etc/.keep', '');
    execFileSync('mkfifo', [`${fake.root}/etc/pipe`]);
    const why = async (pattern: string) => (await takeItem(file(pattern), machine())).missed[0]?.why;
    expect(await why('/etc/none')).toBe('no such file');
    expect(await why('/etc/none/*')).toBe('no such file');
    expect(await why('/etc/.keep/below')).toBe('no such file');
    expect(await why('/etc/pipe')).toBe('not a regular file');
  });
});
