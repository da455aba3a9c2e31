import { describe, expect, it } from 'vitest';
import { GROUPS, VERBS } from './main.ts';
import { run } from './testing.ts';

describe('the command line', () => {
  it('prints for every verb what it does, then examples, then the usage', { timeout: 120_000 }, async () => {
    for (const [path, { summary }] of Object.entries(VERBS)) {
      const { code, stdout } = await run([...path.split(' '), '--help']);
      expect(code, path).toBe(0);
      const [first, examples, usage] = stdout.split('\n\n');
      expect(unwrapped(first!), path).toBe(`${summary}.`);
      const [heading, ...lines] = examples!.split('\n');
      expect(heading, path).toBe('Examples:');
      expect(lines.filter((line) => line.startsWith(`  headstart ${path}`)).length, path).toBeGreaterThanOrEqual(2);
      expect(usage, path).toContain(`Usage: headstart ${path} [options]`);
      for (const option of ['--json', '--verbose', '--help']) expect(stdout, path).toContain(option);
      expect(stdout, path).not.toMatch(/default: (?:\[\]|"|\))/);
    }
  });

  it('starts every summary with a verb in the imperative and ends none with a full stop', () => {
    for (const { summary } of [...Object.values(VERBS), ...Object.values(GROUPS)]) {
      expect(summary).toMatch(/^[A-Z][a-z]*[^s] [^.]*[^. ]$/);
    }
  });

  it('prints help for every group on stdout with exit code 0, with and without --help', async () => {
    for (const path of ['', ...Object.keys(GROUPS)]) {
      const words = path.split(' ').filter(Boolean);
      const bare = await run(words);
      expect(bare, path).toMatchObject({ code: 0, stderr: '' });
      expect(bare.stdout, path).toContain(`Usage: ${['headstart', ...words].join(' ')} COMMAND`);
      expect(await run([...words, '--help'])).toEqual(bare);
      expect(await run([...words, 'help'])).toEqual(bare);
      expect(await run(['help', ...words])).toEqual(bare);
    }
  });

  it.each([
    'help boot systemd blame',
    'boot help systemd blame',
    'boot systemd help blame',
    'boot systemd blame help',
    '--help boot systemd blame',
  ])('prints the whole help of the verb for `headstart %s`', async (line) => {
    expect(await run(line.split(' '))).toEqual(await run(['boot', 'systemd', 'blame', '--help']));
  });

  it('lists the common verbs of boot before those of other tools', async () => {
    const { stdout } = await run(['boot']);
    expect(stdout.indexOf('  timeline ')).toBeLessThan(stdout.indexOf('  systemd '));
  });

  it('lists the options of a verb before those that all prototype verbs share, and marks required ones', async () => {
    const { stdout } = await run(['prototype', 'cost', '--help']);
    expect(unwrapped(stdout)).toMatch(/--pool <NAME> .*\(required\).*Cluster: .*Azure: .*Output: /);
    expect(stdout).not.toMatch(/--over-ssh|--helper-image/);
  });

  it.each([
    ['boot timelin', '`headstart boot timeline`', 'headstart boot --help'],
    ['boot help timelin', '`headstart boot timeline`', 'headstart boot --help'],
    [
      'boot critical-chain',
      '`headstart boot chain` or `headstart boot systemd critical-chain`',
      'headstart boot --help',
    ],
    ['boot time', '`headstart boot systemd time` or `headstart boot timeline`', 'headstart boot --help'],
    ['boot plot', '`headstart boot systemd plot`', 'headstart boot --help'],
    ['boot dump', '`headstart boot cloud-init dump`', 'headstart boot --help'],
    ['boot show', '`headstart boot cloud-init show`', 'headstart boot --help'],
    ['boot analyze', '`headstart boot timeline` or `headstart boot blame`', 'headstart boot --help'],
    ['timeline', '`headstart boot timeline`', 'headstart --help'],
    ['bot timeline', '`headstart boot`', 'headstart --help'],
    ['pool ls', '`headstart pool list`', 'headstart pool --help'],
    ['image compare', '`headstart image diff`', 'headstart image --help'],
    ['prototype list', '`headstart prototype status`', 'headstart prototype --help'],
    ['list', '`headstart image list` or `headstart pool list`', 'headstart --help'],
  ])('suggests the closest verb for `headstart %s`', async (line, meant, next) => {
    const { code, stderr, stdout } = await run(line.split(' '));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`did you mean ${meant}`);
    expect(stderr).toContain(`\nnext:  ${next}\ncode:  cli/usage\n`);
  });

  it.each(['constructor', 'boot __proto__', 'toString', 'boot help hasOwnProperty', ''])(
    'treats "%s" like any other unknown word',
    async (line) => {
      const { code, stderr } = await run(line.split(' '));
      expect(code).toBe(2);
      expect(stderr).toMatch(/^error: unknown command '/);
    },
  );

  it('names the argument that a verb does not take', async () => {
    const { code, stderr } = await run(['boot', 'history', 'boot.tar.gz']);
    expect(code).toBe(2);
    expect(stderr).toContain("`headstart boot history` does not take the argument 'boot.tar.gz'");
    expect(stderr).toContain('next:  headstart boot history --help\n');
  });

  it('answers an unknown option with exit code 2', async () => {
    const { code, stderr } = await run(['boot', 'timeline', '--bogus']);
    expect(code).toBe(2);
    expect(stderr).toContain("unknown option '--bogus'");
    expect(stderr).toContain('next:  headstart boot timeline --help\ncode:  cli/usage\n');
  });

  it('suggests the closest option', async () => {
    const { stderr } = await run(['boot', 'timeline', '--inptu', 'x']);
    expect(stderr.split('\n')[0]).toBe("error: unknown option '--inptu'; did you mean --input?");
  });

  it.each([
    [['boot', 'timeline', '--bogus'], 'cli/usage', 2],
    [['boot', 'timelin'], 'cli/usage', 2],
    [['boot', 'timeline', '-i', 'nosuch.tar.gz'], 'boot/input-unreadable', 2],
    [['pool', 'show'], 'cli/usage', 2],
  ])('prints one Error document for %j with --json', async (argv, code, exitCode) => {
    const ran = await run([...argv, '--json']);
    const plain = await run(argv);
    expect(ran.code).toBe(exitCode);
    expect(ran.stderr).toBe(plain.stderr);
    expect(plain.stdout).toBe('');
    expect(ran.stdout.split('\n')).toHaveLength(2);
    const { message, next, ...rest } = JSON.parse(ran.stdout);
    expect(rest).toEqual({ apiVersion: 'headstart.dev/v1', kind: 'Error', code, exitCode });
    expect(ran.stderr).toContain(`error: ${message}\n`);
    expect(ran.stderr).toContain(`next:  ${next}\n`);
  });

  it('prints the version for the verb and for both options', async () => {
    const { code, stdout } = await run(['version']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+( \([0-9a-f]{7}\))?\n$/);
    expect((await run(['--version'])).stdout).toBe(stdout);
    expect((await run(['-V'])).stdout).toBe(stdout);
    const document = JSON.parse((await run(['--version', '--json'])).stdout);
    expect(document).toMatchObject({ kind: 'Version', node: process.versions.node });
    expect(stdout).toContain(document.version);
  });

  it.each([
    ['an empty file', ''],
    ['a shopping list', 'milk\nbread\n'],
    ['binary data', '\u0000\u0001\u0002\u0003'.repeat(50)],
  ])(
    'describes %s in one short line with the closest readable kinds, and names the full list',
    async (found, stdin) => {
      const { code, stdout, stderr } = await run(['boot', 'timeline', '-i', '-'], { stdin });
      expect(code).toBe(2);
      expect(stdout).toBe('');
      const [line = '', next] = stderr.split('\n');
      expect(line).toMatch(
        /^error: cannot recognise standard input: found .*; \d+ kinds of input are supported, (?:the nearest|among them): \S/,
      );
      expect(line.length).toBeLessThan(260);
      expect(next).toContain('docs/inputs.md');
      if (found === 'a shopping list') expect(stderr).toContain('"milk"');
      expect(stderr).not.toContain('    at ');
    },
  );
});

/** The text without its line breaks and margins. */
function unwrapped(text: string): string {
  return text.replace(/\s+/g, ' ');
}
