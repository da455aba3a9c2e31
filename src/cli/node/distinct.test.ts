import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FakeMachine, fakeMachine, SECRET } from '../../identity/testing.ts';
import { runVerb, type TestWorld } from '../testing.ts';
import { verb } from './distinct.ts';

const run = (argv: string[], world?: TestWorld) => runVerb(verb, argv, world);

async function collected(machine: FakeMachine): Promise<string> {
  const { stdout, stderr, code } = await run(['--collect', '--root', machine.root]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const file = join(machine.root, 'facts.json');
  writeFileSync(file, stdout);
  return file;
}

describe('node distinct', () => {
  it('collects what identifies the machine, without its secrets', async () => {
    const machine = fakeMachine('Node-A');
    const { stdout } = await run(['--collect', '--root', machine.root]);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'NodeIdentity',
      name: 'node-a',
      takenAt: '2027-01-15T08:00:00.000Z',
      facts: { 'host-name': { values: [{ value: 'node-a' }] } },
    });
    expect(stdout).not.toContain(SECRET);
    expect(stdout).not.toContain(machine.read('etc/machine-id').trim());
  });

  it('compares files of other machines: exit code 0 when they share nothing', async () => {
    const files = [await collected(fakeMachine('a')), await collected(fakeMachine('b'))];
    const ran = await run(files);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^.*facts\.json, .*facts\.json: distinct; \d+ of 16 items are not known of all\n/);
    expect(ran.stdout).toContain('unknown:  clock of ');
  });

  it('names what two files share with its remedy: exit code 3', async () => {
    const [a, b] = [fakeMachine('a'), fakeMachine('b')];
    b.put('etc/machine-id', a.read('etc/machine-id'));
    const files = [await collected(a), await collected(b)];
    const { code, stdout } = await run(files);
    expect(code).toBe(3);
    expect(stdout).toContain(`shared:   ${[...files].sort().join(' and ')} share the machine-id; `);
    expect(stdout).toContain('next:     delete /etc/machine-id');
    const json = await run([...files, '--json']);
    expect(json.code).toBe(3);
    expect(JSON.parse(json.stdout)).toMatchObject({
      kind: 'NodeDistinct',
      isDistinct: false,
      machines: files,
      shared: [{ item: 'machine-id', machines: [...files].sort() }],
      notes: [],
    });
  });

  it('reads one of them from standard input', async () => {
    const machine = fakeMachine('a');
    const { stdout: stdin } = await run(['--collect', '--root', machine.root]);
    const { code, stdout } = await run([await collected(machine), '-'], { stdin });
    expect(code).toBe(3);
    expect(stdout).toContain("share kubelet's client certificate");
  });

  it.each([
    ['no machine', [], 'expected at least two machines'],
    ['one file', ['a.json'], 'a.json does not exist'],
    ['a name on a machine without pools', ['a', 'b'], "'a' is not a file"],
    ['a file that is something else', [join(import.meta.dirname, 'verbs.ts'), './x.json'], 'is not what'],
    ['--collect of another machine', ['--collect', 'a.json'], '--collect is about this machine'],
  ])('refuses %s', async (_, argv, message) => {
    const { code, stderr } = await run(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('refuses the same file twice: it would always share everything', async () => {
    const file = await collected(fakeMachine('a'));
    expect((await run([file, file])).stderr).toContain('expected at least two machines');
  });
});
