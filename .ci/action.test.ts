// Does the GitHub Action do what docs/github-action.md says, for any value of its inputs?
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTarGzip } from 'nanotar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { annotationsIn, readAction, runAction } from './action-runner.testing.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const boots = join(root, 'src/boot/fixtures/boots');
const SYSTEM = '/usr/local/bin:/usr/bin:/bin';

let workspace: string;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'headstart-workspace-'));
  cpSync(join(boots, 'first-boot.tar.gz'), join(workspace, 'boot.tar.gz'));
  write('budget.yaml', 'total: 60s\nunits: {cloud-init.service: 5s}\nmilestones: {node-ready: 40s}\n');
  write('wide.yaml', 'total: 10min\n');
});
afterEach(() => rmSync(workspace, { recursive: true }));

const write = (name: string, text: string, mode = 0o644) => writeFileSync(join(workspace, name), text, { mode });
const run = (inputs: Record<string, string>, path = SYSTEM) => runAction(inputs, { action: root, workspace, path });
/** The program of this checkout. */
const HEADSTART = { headstart: join(root, 'headstart') };
const CHECK = { ...HEADSTART, bundle: 'boot.tar.gz', budget: 'budget.yaml' };

describe('the action', () => {
  it('annotates the budget in the pull request with what is slower, and fails', () => {
    const { code, annotations, outputs, summary } = run({ ...CHECK, budget: './budget.yaml' });
    const file = 'budget.yaml';
    expect(annotations).toEqual([
      {
        ...{ level: 'error', file, title: 'boot check: total exceeded' },
        message: 'total took 1min 44.768s, limit 1min of the budget: until startup-finished',
      },
      {
        ...{ level: 'error', file, title: 'boot check: units.cloud-init.service exceeded' },
        message: 'units.cloud-init.service took 11.258s, limit 5s of the budget',
      },
      {
        ...{ level: 'error', file, title: 'boot check: milestones.node-ready unknown' },
        message: expect.stringContaining('milestones.node-ready is unknown, limit 40s of the budget'),
      },
      {
        ...{ level: 'notice', title: 'boot check' },
        message: 'Not within the budget: 0 ok, 2 exceeded, 1 unknown.',
      },
    ]);
    expect({ code, outputs }).toEqual({ code: 3, outputs: { within: 'false', 'exit-code': '3' } });
    expect(summary).toMatch(/^### headstart boot check\n\n {4}VERDICT /);
    expect(
      summary
        .split('\n')
        .slice(1)
        .filter((line) => line !== '' && !line.startsWith('    ')),
    ).toEqual([]);
  });

  it('passes within the budget, and where it is to annotate only', () => {
    expect(run({ ...CHECK, budget: 'wide.yaml' })).toMatchObject({
      code: 0,
      outputs: { within: 'true', 'exit-code': '0' },
      annotations: [{ level: 'notice' }],
    });
    const only = run({ ...CHECK, fail: 'false' });
    expect(only).toMatchObject({ code: 0, outputs: { within: 'false', 'exit-code': '3' } });
    expect(only.annotations.map(({ level }) => level)).toEqual(['error', 'error', 'error', 'notice']);
  });

  it('compares with recorded boots, one per line', () => {
    const [first, clone] = ['first-boot.tar.gz', 'clone-boot.tar.gz'].map((name) => join(boots, name));
    const inputs = { ...HEADSTART, bundle: clone!, against: `${first}\r\n${clone}\n` };
    expect(run({ ...inputs, margin: '10%', threshold: '1s' })).toMatchObject({ code: 0, outputs: { within: 'true' } });
    const slower = run({ ...inputs, bundle: 'boot.tar.gz', against: clone! });
    expect(slower.code).toBe(3);
    expect(slower.annotations.filter(({ level }) => level === 'error')).toHaveLength(10);
  });

  it('lets values be missing on request', () => {
    write('missing.yaml', 'total: 10min\nmilestones: {node-ready: 40s}\n');
    expect(run({ ...CHECK, budget: 'missing.yaml' }).code).toBe(3);
    expect(run({ ...CHECK, budget: 'missing.yaml', 'allow-missing': 'true' })).toMatchObject({
      code: 0,
      annotations: [{ level: 'warning' }, { level: 'notice' }],
    });
  });
});

describe('what it cannot do', () => {
  it.each([
    [{ ...CHECK, bundle: '' }, /input bundle is missing/],
    [{ ...HEADSTART, bundle: 'boot.tar.gz' }, /nothing to check the boot against/],
    [{ ...CHECK, fail: 'maybe' }, /fail is neither true nor false/],
    [{ ...CHECK, bundle: 'nosuch.tar.gz' }, /was not checked \(exit code 2\)\n(?:.*\n)*error: .*nosuch\.tar\.gz/],
    [{ ...CHECK, margin: 'much' }, /--margin much: not a percentage/],
    [{ ...CHECK, headstart: 'no-such-headstart' }, /headstart is not installed here/],
  ])('is one annotation, for %j', (inputs, message) => {
    const { code, annotations, outputs } = run(inputs);
    expect(code).toBe(2);
    expect(annotations).toEqual([{ level: 'error', title: 'headstart', message: expect.stringMatching(message) }]);
    expect(outputs.within).toBe('');
  });
});

it('reports an installed headstart that this machine cannot execute', () => {
  write('broken', '#!/no/such/interpreter\n', 0o755);
  const { code, annotations, outputs } = run({ ...CHECK, headstart: './broken' });
  expect({ code, exitCode: outputs['exit-code'] }).toEqual({ code: 2, exitCode: '2' });
  expect(annotations).toMatchObject([{ message: './broken cannot be executed on this machine' }]);
});

describe('a release file', () => {
  /** A shell: the first word after its name, `boot`, is the script that it runs. */
  const program = readFileSync('/bin/sh');
  const script = `touch ran\nexec '${join(root, 'headstart')}' boot "$@"\n`;
  const sumOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(workspace, name)))
      .digest('hex');
  const inputs = { bundle: 'boot.tar.gz', budget: 'wide.yaml', headstart: 'no-such-headstart' };
  const isRun = () => existsSync(join(workspace, 'ran'));

  it('is run if its checksum is the expected one: an executable, or an archive that has one', async () => {
    writeFileSync(join(workspace, 'executable'), program);
    write('boot', script);
    const files = [
      { name: 'headstart-1.0/LICENSE', data: 'x' },
      { name: 'headstart-1.0/headstart', data: program },
    ];
    writeFileSync(join(workspace, 'archive.tar.gz'), await createTarGzip(files));
    for (const release of ['executable', 'archive.tar.gz']) {
      expect(run({ ...inputs, release, sha256: sumOf(release) }), release).toMatchObject({ code: 0 });
      expect(isRun(), release).toBe(true);
      rmSync(join(workspace, 'ran'));
    }
  });

  it.each([
    [
      'another checksum',
      'executable',
      '0'.repeat(64),
      /has the SHA-256 [0-9a-f]{64}, expected 0{64}: nothing of it was run/,
    ],
    ['no checksum', 'executable', '', /sha256 is not 64 hex digits/],
    ['a checksum with a wildcard', 'executable', '*'.repeat(64), /sha256 is not 64 hex digits/],
    ['a file that is not there', 'nosuch', 'a'.repeat(64), /there is no release file nosuch/],
    ['an address without TLS', 'http://127.0.0.1:1/headstart', 'a'.repeat(64), /neither a path nor an https address/],
    ['a file address', 'file:///etc/passwd', 'a'.repeat(64), /neither a path nor an https address/],
    ['an address that does not answer', 'https://127.0.0.1:1/headstart', 'a'.repeat(64), /could not be downloaded/],
  ])('is not run with %s', (_, release, sha256, message) => {
    writeFileSync(join(workspace, 'executable'), program);
    write('boot', script);
    const { code, annotations } = run({ ...inputs, release, sha256 });
    expect({ code, isRun: isRun() }).toEqual({ code: 2, isRun: false });
    expect(annotations).toEqual([{ level: 'error', title: 'headstart', message: expect.stringMatching(message) }]);
  });

  // SHA256SUMS lists them too: the npm package has a launcher of that name, and bash would run a Debian package as a script.
  const NOT_FOR_THIS_MACHINE: [string, () => Promise<Uint8Array> | Uint8Array][] = [
    [
      'the npm package',
      () =>
        createTarGzip([{ name: 'package/bin/headstart', data: '#!/usr/bin/env node\nimport "./headstart.mjs";\n' }]),
    ],
    ['a Debian package', () => Buffer.from('!<arch>\ndebian-binary   1\n')],
    ['an empty file', () => Buffer.alloc(0)],
    ['an executable for another processor', () => forAnotherProcessor(program)],
  ];

  it.each(NOT_FOR_THIS_MACHINE)('is refused if it is %s', async (_, content) => {
    writeFileSync(join(workspace, 'other'), await content());
    const { code, annotations, outputs } = run({ ...inputs, release: 'other', sha256: sumOf('other') });
    expect({ code, within: outputs.within }).toEqual({ code: 2, within: '' });
    expect(annotations).toEqual([
      {
        level: 'error',
        title: 'headstart',
        message:
          'the release file is not an executable of headstart for this machine: take headstart-VERSION-linux-x64 or -arm64',
      },
    ]);
  });

  it('is refused as an archive without the program', async () => {
    writeFileSync(join(workspace, 'other.tar.gz'), await createTarGzip([{ name: 'other', data: program }]));
    const { code, annotations } = run({ ...inputs, release: 'other.tar.gz', sha256: sumOf('other.tar.gz') });
    expect({ code, message: annotations[0]?.message }).toEqual({
      code: 2,
      message: 'the release file is an archive without a program headstart',
    });
  });
});

/** With another number of a machine in its header. */
function forAnotherProcessor(executable: Uint8Array): Uint8Array {
  const copy = Buffer.from(executable);
  copy.writeUInt16LE(0x1234, 18);
  return copy;
}

describe('hostile values', () => {
  const { inputs, runs } = readAction(root);

  it('are not written into a script: no step has an expression in its script', () => {
    for (const { run: script } of runs.steps) expect(script).not.toContain('${{');
    const used = runs.steps.flatMap(({ env }) => Object.values(env ?? {}));
    for (const name of Object.keys(inputs)) expect(used, name).toContain(`\${{ inputs.${name} }}`);
  });

  const VALUES = [
    '$(touch pwned)',
    '"; touch pwned; "',
    "'; touch pwned; '",
    'a[$(touch pwned)]',
    '--output=pwned',
    'x\n::error title=forged::forged',
    'x\r%0A::error title=forged::forged',
    'x\nwithin=true',
  ];

  // With a small program in place of headstart: its arguments are what counts here, and many starts of Node.js take long.
  it.each(Object.keys(inputs))('in %s run nothing and forge nothing', (name) => {
    mkdirSync(join(workspace, 'bin'));
    write('bin/headstart', ECHO, 0o755);
    const before = readdirSync(workspace).sort();
    for (const value of VALUES) {
      const given = { bundle: 'boot.tar.gz', budget: 'budget.yaml', headstart: 'headstart', [name]: value };
      const { annotations, outputs } = run(given, `${join(workspace, 'bin')}:${SYSTEM}`);
      expect(
        annotations.filter(({ title }) => title !== 'headstart'),
        value,
      ).toEqual([]);
      expect(outputs.within, value).not.toBe('true');
      expect(readdirSync(workspace).sort(), value).toEqual(before);
    }
  });

  /** Prints its arguments, as headstart prints names from the boot, and fails. */
  const ECHO = '#!/bin/sh\nprintf "%s\\n" "$@"\nprintf "%s\\n" "$@" >&2\nexit 1\n';

  it('from the boot are not taken as commands of the log', () => {
    mkdirSync(join(workspace, 'bin'));
    write('bin/headstart', '#!/bin/sh\necho "::error title=forged::x"\necho "::add-mask::a" >&2\nexit 1\n', 0o755);
    const { annotations, log } = run({ bundle: 'b', budget: 'c' }, `${join(workspace, 'bin')}:${SYSTEM}`);
    expect(log).toContain('::error title=forged::x');
    expect(annotations.map(({ level, title }) => [level, title])).toEqual([['error', 'headstart']]);
  });

  it('would be noticed: the runner of this test acts on a forged command', () => {
    expect(annotationsIn('a\n::error title=forged::x\n')).toHaveLength(1);
    expect(annotationsIn('::stop-commands::t\n::error::x\n::t::\n::notice::y\n')).toMatchObject([{ level: 'notice' }]);
  });
});
