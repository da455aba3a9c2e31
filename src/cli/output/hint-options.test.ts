import { Command } from 'commander';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TransientError, UserError } from '../../base/errors.ts';
import { type ConnectOptions, withConnectOptions, withNodeAccessOptions } from '../prototype/connect-options.ts';
import { testDeps } from '../testing.ts';
import { depsFor, errorWithOptions, hintWithOptions } from './hint-options.ts';

describe('hintWithOptions', () => {
  it.each([
    ['--home', ['pool', 'show', 'x', '--home', '/a b'], 'headstart pool list', "headstart pool list --home '/a b'"],
    ['--home=', ['cluster', 'up', '--home=/h'], 'see `headstart pool list`', 'see `headstart pool list --home /h`'],
    [
      'before the arguments',
      ['pool', 'ssh', 'x', '--home', 'h'],
      'headstart pool exec x -- CMD; headstart pool logs x',
      'headstart pool exec --home h x -- CMD; headstart pool logs --home h x',
    ],
    [
      'if the hint has it already',
      ['pool', 'show', '--home', 'h'],
      'headstart pool list --home h',
      'headstart pool list --home h',
    ],
    [
      'for image verbs that read a gallery',
      ['image', 'promote', 'x', '--vms', 'qemu', '--gallery', 'g'],
      '`headstart image list` shows them; `headstart image build` makes one',
      '`headstart image list --vms qemu --gallery g` shows them; `headstart image build` makes one',
    ],
    ['--root', ['node', 'plan', '--root', 'r'], 'headstart node history', 'headstart node history --root r'],
    [
      'for each command in a sentence',
      ['pool', 'show', '--home', 'h'],
      'headstart pool start x, or headstart pool list',
      'headstart pool start --home h x, or headstart pool list --home h',
    ],
    ['nothing for --help', ['pool', 'show', '--home', 'h'], 'headstart pool show --help', 'headstart pool show --help'],
    ['nothing without a command', ['pool', 'list', '--home', 'h'], 'free some space', 'free some space'],
    [
      'nothing from the arguments of another program',
      ['pool', 'exec', 'x', '--', 'y', '--home', 'h'],
      'headstart pool list',
      'headstart pool list',
    ],
  ])('keeps %s', (_, typed, hint, expected) => {
    expect(hintWithOptions(hint, typed)).toBe(expected);
  });

  it('is applied to the next step of an error, and to no other error', () => {
    const error = new UserError('x', { code: 'pool/x', next: 'headstart pool list' });
    expect(errorWithOptions(error, ['pool', 'show', '--home', 'h'])).toMatchObject({
      code: 'pool/x',
      next: 'headstart pool list --home h',
    });
    const passing = new TransientError('x', { code: 'pool/x', next: 'headstart pool list' });
    expect(errorWithOptions(passing, ['pool', 'show', '--home', 'h'])).toMatchObject({
      next: 'headstart pool list --home h',
    });
    const bug = new Error('y');
    expect(errorWithOptions(bug, ['pool', 'show', '--home', 'h'])).toBe(bug);
  });
});

describe('the hint of a prototype verb', () => {
  const recover = (...line: string[]) =>
    hintWithOptions('headstart prototype recover --node n1', ['prototype', 'run', ...line]);

  it.each<[string[], string]>([
    [[], 'headstart prototype recover --node n1'],
    [['--no-cluster', '--pool', 'p'], 'headstart prototype recover --node n1 --no-cluster --pool p'],
    [['--pool', 'p', '--context', 'prod'], 'headstart prototype recover --node n1 --context prod'],
    [['--vms', 'qemu', '--home', '/my pools'], "headstart prototype recover --node n1 --home '/my pools' --vms qemu"],
    [['-n', 'ops'], 'headstart prototype recover --node n1 --namespace ops'],
    [['-nops'], 'headstart prototype recover --node n1 --namespace ops'],
    [['--gallery', 'G', '--no-cluster'], 'headstart prototype recover --node n1 --no-cluster --gallery G'],
    [['--no-cluster', '--cluster=c'], 'headstart prototype recover --node n1 --no-cluster --cluster c'],
    [['--no-cluster', '--node', 'n2', '--over-ssh', 'u@h'], 'headstart prototype recover --node n1 --no-cluster'],
    [
      ['--no-cluster', '--node', 'n1', '--over-ssh', 'u@h'],
      'headstart prototype recover --node n1 --no-cluster --over-ssh u@h',
    ],
  ])('keeps %j', (line, expected) => {
    expect(recover(...line)).toBe(expected);
  });

  it('leaves out node access options if the verb does not enter nodes, and keeps --over-ssh without a host', () => {
    const line = ['--no-cluster', '--pool', 'p', '--over-ssh', '--helper-image', 'i'];
    expect(hintWithOptions('headstart prototype status', ['prototype', 'run', ...line])).toBe(
      'headstart prototype status --no-cluster --pool p',
    );
    expect(recover(...line)).toBe(
      'headstart prototype recover --node n1 --no-cluster --pool p --helper-image i --over-ssh',
    );
  });

  it('shows its own options first, and only once', () => {
    const hint = 'headstart prototype rollback --pool p --to original';
    expect(hintWithOptions(hint, ['prototype', 'rollback', '--pool', 'P'])).toBe(hint);
  });

  it.each([
    [
      'headstart prototype candidates --pool p, or give --allow-unpatched',
      'headstart prototype candidates --pool p --no-cluster --vms qemu, or give --allow-unpatched',
    ],
    [
      'headstart prototype run --node a.b finishes it; or delete the snapshot s',
      'headstart prototype run --node a.b --no-cluster --pool p --vms qemu finishes it; or delete the snapshot s',
    ],
    [
      'wait until `headstart prototype status` shows it as ready',
      'wait until `headstart prototype status --no-cluster --pool p --vms qemu` shows it as ready',
    ],
    [
      'if no run uses a: headstart prototype run --node a resumes, headstart prototype recover --node a returns it',
      'if no run uses a: headstart prototype run --node a --no-cluster --pool p --vms qemu resumes, headstart prototype recover --node a --no-cluster --pool p --vms qemu returns it',
    ],
    ['run the same command again', 'run the same command again'],
    ['headstart pool create NAME', 'headstart pool create NAME'],
    ['headstart prototype run --help', 'headstart prototype run --help'],
  ])('is completed only once: %s', (hint, shown) => {
    const typed = ['prototype', 'plan', '--no-cluster', '--pool', 'p', '--vms', 'qemu'];
    expect(hintWithOptions(hint, typed)).toBe(shown);
    expect(hintWithOptions(shown, typed)).toBe(shown);
  });

  it('keeps --home for every command', () => {
    const typed = ['prototype', 'status', '--vms', 'qemu', '--home', '/my pools'];
    expect(hintWithOptions('headstart pool create p, then headstart prototype status', typed)).toBe(
      "headstart pool create --home '/my pools' p, then headstart prototype status --home '/my pools' --vms qemu",
    );
  });

  it('does not change the hints of verbs in other groups', () => {
    const hint = 'make the image again with `headstart prototype run`';
    expect(hintWithOptions(hint, ['pool', 'show', '--home', 'h'])).toBe(hint);
  });

  it('keeps every option that names VMs or a cluster: parsing the hint gives the same options', () => {
    const value = fc.stringMatching(/^[a-z0-9][a-z0-9./ '$-]{0,8}$/);
    const flags = [
      'kubeconfig',
      'context',
      'namespace',
      'helper-image',
      'helper-pull-secret',
      'azure-json',
      'subscription',
      'resource-group',
    ];
    const more = ['tenant', 'cloud', 'azure-endpoint', 'home', 'gallery', 'cluster', 'pool'];
    const given = fc.uniqueArray(fc.constantFrom(...flags, ...more), { maxLength: 6 });
    fc.assert(
      fc.property(given, fc.array(value, { minLength: 6, maxLength: 6 }), (names, values) => {
        const line = names.flatMap((name, i) => [`--${name}`, values[i]!]);
        const words = shellWords(hintWithOptions('headstart prototype plan', ['prototype', 'run', ...line]));
        expect(parsed(words.slice(3))).toEqual(parsed(line));
      }),
    );
  });
});

/** The options that commander parses, with defaults. */
function parsed(line: string[]): ConnectOptions {
  return withNodeAccessOptions(withConnectOptions(new Command('x')))
    .option('--pool <NAME>')
    .parse(line, { from: 'user' })
    .opts();
}

/** Splits a line like a shell does, for single quotes only. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|\\'|[^\s'])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|\\(')/g, (_, quoted?: string, single?: string) => quoted ?? single ?? ''),
  );
}

describe('depsFor', () => {
  it('completes the hints that a verb prints, and changes no other output', () => {
    const { ran, deps } = testDeps({});
    const { stderr, typed } = depsFor(['pool', 'show', '--home', 'h'], deps);
    stderr('note: headstart pool list\n');
    stderr('next:  headstart pool list\n');
    expect(ran.stderr).toBe('note: headstart pool list\nnext:  headstart pool list --home h\n');
    expect(typed).toEqual(['pool', 'show', '--home', 'h']);
  });
});
