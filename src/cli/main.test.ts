import { describe, expect, it } from 'vitest';
import { GROUPS, VERBS } from './main.ts';
import { run } from './testing.ts';

describe('the command line', () => {
  it('opens every help with two real examples, and every verb reads --json', { timeout: 120_000 }, async () => {
    for (const path of Object.keys(VERBS)) {
      const { code, stdout } = await run([...path.split(' '), '--help']);
      expect(code, path).toBe(0);
      const examples = stdout.split('\n\n')[0]!.split('\n');
      expect(examples[0], path).toBe('Examples:');
      expect(examples.length, path).toBeGreaterThanOrEqual(3);
      for (const example of examples.slice(1)) expect(example).toContain(`headstart ${path}`);
      if (path.startsWith('boot')) expect(stdout, path).toContain('--json');
    }
  });

  it('prints help for every group', async () => {
    for (const path of ['', ...Object.keys(GROUPS)]) {
      const { code, stdout } = await run([...path.split(' ').filter(Boolean), '--help']);
      expect(code).toBe(0);
      expect(stdout).toContain('Commands:');
    }
  });

  it('answers a wrong word with the nearest right one, the next step and exit code 2', async () => {
    const { code, stderr, stdout } = await run(['boot', 'timelin']);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('timeline');
    expect(stderr).toContain('next:');
  });

  it('answers an unknown option with exit code 2', async () => {
    const { code, stderr } = await run(['boot', 'timeline', '--bogus']);
    expect(code).toBe(2);
    expect(stderr).toContain("unknown option '--bogus'");
    expect(stderr).toContain('headstart boot timeline --help');
  });

  it.each([
    ['an empty file', ''],
    ['a shopping list', 'milk\nbread\n'],
    ['binary data', '\u0000\u0001\u0002\u0003'.repeat(50)],
  ])(
    '%s gets one short line naming what was found and the nearest kinds that are read, and the list of all',
    async (found, stdin) => {
      const { code, stdout, stderr } = await run(['boot', 'timeline', '-i', '-'], { stdin });
      expect(code).toBe(2);
      expect(stdout).toBe('');
      const [line = '', next] = stderr.split('\n');
      expect(line).toMatch(
        /^error: cannot tell what standard input is: found .*; \d+ kinds of input are read, (?:the nearest|among them): \S/,
      );
      expect(line.length).toBeLessThan(260);
      expect(next).toContain('docs/inputs.md');
      if (found === 'a shopping list') expect(stderr).toContain('"milk"');
      expect(stderr).not.toContain('    at ');
    },
  );
});
