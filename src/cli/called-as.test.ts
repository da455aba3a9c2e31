import { describe, expect, it } from 'vitest';
import { argvOf, asTyped, calledAs } from './called-as.ts';
import { GROUPS, main, VERBS } from './main.ts';
import { testDeps } from './testing.ts';

const PATHS = [...Object.keys(GROUPS), ...Object.keys(VERBS)];
const AS_PLUGIN = { calledAs: 'kubectl-headstart' } as const;

async function run(argv: string[], as: { calledAs: 'kubectl-headstart' | 'kubectl_complete-headstart' }) {
  const { ran, deps } = testDeps({ columns: 80 });
  ran.code = await main(argv, { ...deps, ...as });
  return ran;
}

describe('the name that started the program', () => {
  it.each([
    [['/usr/bin/headstart'], undefined],
    [['/checkout/src/cli/bin.ts', 'node'], undefined],
    [['/home/ada/.krew/bin/kubectl-headstart'], 'kubectl-headstart'],
    [['/checkout/src/cli/bin.ts', 'kubectl-headstart'], 'kubectl-headstart'],
    [['/usr/bin/kubectl_complete-headstart'], 'kubectl_complete-headstart'],
    [['/opt/kubectl-headstart/bin/headstart'], undefined],
    [[undefined], undefined],
  ])('%j is %s', (started, name) => {
    expect(calledAs(...started)).toBe(name);
  });

  it('turns the words of the completion program into a request', () => {
    expect(argvOf(['boot', ''], 'kubectl_complete-headstart')).toEqual(['__complete', 'kubectl', '--', 'boot', '']);
    expect(argvOf(['boot'], 'kubectl-headstart')).toEqual(['boot']);
  });
});

describe('commands in texts', () => {
  it.each([
    ['next:  headstart boot collect --node n1', 'next:  kubectl headstart boot collect --node n1'],
    ['next:  headstart boot --help', 'next:  kubectl headstart boot --help'],
    ['headstart --help', 'kubectl headstart --help'],
    ['`headstart boot` or `headstart pool list`', '`kubectl headstart boot` or `kubectl headstart pool list`'],
    ['headstart image lock && headstart image build', 'kubectl headstart image lock && kubectl headstart image build'],
    ['kubectl headstart boot collect', 'kubectl headstart boot collect'],
    ['the boot of a headstart image', 'the boot of a headstart image'],
    ['run headstart node on every node', 'run headstart node on every node'],
    ['headstart doctor pool', 'kubectl headstart doctor pool'],
    ['ssh NODE headstart node distinct --collect', 'ssh NODE headstart node distinct --collect'],
    ['/usr/bin/headstart boot collect', '/usr/bin/headstart boot collect'],
    ['~/.cache/headstart boot', '~/.cache/headstart boot'],
  ])('%s', (text, typed) => {
    expect(asTyped(text, 'kubectl headstart', PATHS)).toBe(typed);
    expect(asTyped(text, 'headstart', PATHS)).toBe(text);
  });
});

describe('kubectl headstart', () => {
  it('is the name in the help of the program, of each group and of each verb', { timeout: 120_000 }, async () => {
    for (const path of ['', ...PATHS]) {
      const { code, stdout } = await run([...path.split(' ').filter(Boolean), '--help'], AS_PLUGIN);
      expect(code, path).toBe(0);
      expect(stdout, path).toContain(`Usage: kubectl headstart${path && ` ${path}`}`);
      const examples = /^Examples:\n((?: {2}.*\n)+)/m.exec(stdout)?.[1] ?? '';
      expect(examples, path).toMatch(/^ {2}kubectl headstart /);
      for (const line of stdout.split('\n')) expect(line, path).not.toMatch(/^(?: {2}|Usage: |`)headstart /);
    }
  });

  it.each([
    [
      ['boot', 'timelin'],
      ['did you mean `kubectl headstart boot timeline`?', 'next:  kubectl headstart boot --help'],
    ],
    [['bot'], ['did you mean `kubectl headstart boot`?', 'next:  kubectl headstart --help']],
    [
      ['boot', 'history', 'x'],
      ['`kubectl headstart boot history` does not take', 'kubectl headstart boot history --help'],
    ],
    [['boot', 'timeline', '--bogus'], ['next:  kubectl headstart boot timeline --help']],
  ])('is the name in the errors of %j, in JSON too', async (argv, texts) => {
    const { code, stderr } = await run(argv, AS_PLUGIN);
    expect(code).toBe(2);
    for (const text of texts) expect(stderr).toContain(text);
    const { stdout } = await run([...argv, '--json'], AS_PLUGIN);
    expect(JSON.parse(stdout).next).toMatch(/^kubectl headstart /);
  });
});

describe('kubectl_complete-headstart', () => {
  const complete = async (...words: string[]) =>
    (await run(words, { calledAs: 'kubectl_complete-headstart' })).stdout.split('\n').filter(Boolean);

  it('prints values with their meaning, then the directive that offers no files', async () => {
    const lines = await complete('boot', 'coll');
    expect(lines).toContain(`collect\t${VERBS['boot collect']!.summary}`);
    expect(lines.at(-1)).toBe(':4');
  });

  it('prints values after the option that they belong to', async () => {
    expect(await complete('boot', 'export', '--format=ch')).toContainEqual(expect.stringMatching(/^--format=chrome/));
  });

  it('lets the shell complete files, and offers folders where only they fit', async () => {
    expect(await complete('boot', 'timeline', '-i', '')).toEqual([':0']);
    expect(await complete('pool', 'list', '--home', '')).toEqual([':16']);
  });
});
