// README's examples are real: each command is run, and what it prints is what README shows.
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { run } from './cli/testing.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const examples = [...readme.matchAll(/```console\n\$ \.\/headstart ([^\n]+)\n([\s\S]*?)```/g)].map(
  ([, command, output]) => [command!, output!] as const,
);

describe('README', () => {
  it('has examples to try', () => {
    expect(examples.length).toBeGreaterThanOrEqual(3);
  });

  it.each(examples)('$ ./headstart %s', async (command, output) => {
    const report = join(tmpdir(), `headstart-readme-${process.pid}.html`);
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map((word) => word[1] ?? word[2]!);
    const argv = words.map((word) =>
      word.startsWith('src/') ? join(root, word) : word === 'report.html' ? report : word,
    );
    const { code, stdout } = await run(argv);
    rmSync(report, { force: true });
    expect(code).toBe(0);
    expect(stdout).toBe(output);
  });
});
