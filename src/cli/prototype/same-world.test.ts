import { Command } from 'commander';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { runVerb } from '../testing.ts';
import { type ConnectOptions, withConnectOptions, withNodeAccessOptions } from './connect-options.ts';
import { hintingAtSameWorld, inSameWorld, prototypeCommand } from './same-world.ts';

/** What commander makes of a command line, defaults and all. */
function parsed(line: string[]): ConnectOptions {
  const command = withNodeAccessOptions(withConnectOptions(new Command('x')))
    .option('--pool <NAME>')
    .option('--node <NAME>');
  return command.parse(line, { from: 'user' }).opts();
}

describe('the same command with a change', () => {
  it.each<[string[], string]>([
    [[], 'headstart prototype recover --node n1'],
    [['--no-cluster', '--pool', 'p'], 'headstart prototype recover --node n1 --no-cluster --pool p'],
    [['--pool', 'p', '--context', 'prod'], 'headstart prototype recover --node n1 --context prod'],
    [['--vms', 'qemu', '--home', '/my pools'], "headstart prototype recover --node n1 --home '/my pools' --vms qemu"],
    [['-n', 'ops'], 'headstart prototype recover --node n1 --namespace ops'],
    [['--no-cluster', '--node', 'n2', '--over-ssh', 'u@h'], 'headstart prototype recover --node n1 --no-cluster'],
    [
      ['--no-cluster', '--node', 'n1', '--over-ssh', 'u@h'],
      'headstart prototype recover --node n1 --no-cluster --over-ssh u@h',
    ],
  ])('keeps %j', (given, expected) => {
    expect(prototypeCommand('recover', { '--node': 'n1' }, parsed(given))).toBe(expected);
  });

  it('leaves out how nodes are entered where the verb enters none, and keeps --over-ssh without a host', () => {
    const given = parsed(['--no-cluster', '--pool', 'p', '--over-ssh', '--helper-image', 'i']);
    expect(prototypeCommand('status', {}, given)).toBe('headstart prototype status --no-cluster --pool p');
    expect(prototypeCommand('recover', { '--node': 'n1' }, given)).toBe(
      'headstart prototype recover --node n1 --no-cluster --pool p --helper-image i --over-ssh',
    );
  });

  it('shows what changes first, and only once', () => {
    expect(prototypeCommand('rollback', { '--pool': 'p', '--to': 'original' }, parsed(['--pool', 'P']))).toBe(
      'headstart prototype rollback --pool p --to original',
    );
  });

  it('keeps every option that names VMs or cluster: what it says is read back as it was given', () => {
    const value = fc.stringMatching(/^[a-z0-9][a-z0-9./ '$-]{0,8}$/);
    const flags = [
      'kubeconfig',
      'context',
      'namespace',
      'helper-image',
      'azure-json',
      'subscription',
      'resource-group',
    ];
    const more = ['tenant', 'cloud', 'azure-endpoint', 'home', 'cluster', 'pool'];
    const given = fc.uniqueArray(fc.constantFrom(...flags, ...more), { maxLength: 6 });
    fc.assert(
      fc.property(given, fc.array(value, { minLength: 6, maxLength: 6 }), (names, values) => {
        const line = names.flatMap((name, i) => [`--${name}`, values[i]!]);
        const words = shellWords(prototypeCommand('plan', {}, parsed(line)));
        expect(parsed(words.slice(3))).toEqual(parsed(line));
      }),
    );
  });
});

/** As a shell takes a line apart that has single quotes only. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|\\'|[^\s'])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|\\(')/g, (_, quoted?: string, single?: string) => quoted ?? single ?? ''),
  );
}

describe('a hint of the domain', () => {
  const options = parsed(['--no-cluster', '--pool', 'p', '--vms', 'qemu']);

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
    ['run the same command again', 'run the same command again'],
    ['headstart pool create NAME', 'headstart pool create NAME'],
  ])('%s', (hint, shown) => {
    expect(inSameWorld(hint, options)).toBe(shown);
    expect(inSameWorld(shown, options)).toBe(shown);
  });

  it('keeps the folder of the pools of this machine, however it is called', () => {
    const inFolder = parsed(['--vms', 'qemu', '--home', '/my pools']);
    const shown = inSameWorld('headstart pool create p, then headstart prototype status', inFolder);
    expect(shown).toBe(
      "headstart pool create p --home '/my pools', then headstart prototype status --home '/my pools' --vms qemu",
    );
    expect(inSameWorld(shown, inFolder)).toBe(shown);
  });

  it('of an error leads to the world that the verb was asked about', async () => {
    const error = new UserError('x', { code: 'a/b', next: 'headstart prototype recover --node n' });
    const verb = hintingAtSameWorld({
      examples: [],
      configure: (command) => withConnectOptions(command),
      run: () => {
        throw error;
      },
    });
    expect((await runVerb(verb, ['--vms', 'qemu', '--no-cluster'])).stderr).toContain(
      'next:  headstart prototype recover --node n --no-cluster --vms qemu\n',
    );
  });
});
