// The hidden verb as the scripts call it: what is found in a home folder, a bundle and a kubeconfig, and silence where nothing is.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../testing.ts';
import type { BootKind } from './boot-names.ts';
import { bootValues, unitsListed } from './boot-values.ts';
import type { Given } from './decide.ts';

const BUNDLE = fileURLToPath(new URL('../../boot/fixtures/boots/first-boot.tar.gz', import.meta.url));
let folder: string;
let home: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-complete-'));
  home = join(folder, 'home');
  put('pools/pool1/pool.json', { spec: { image: { id: 'galleries/headstart/debian-12' } } });
  put('pools/pool1/instances/pool1-000001/instance.json', { wanted: 'running' });
  put('pools/pool1/instances/pool1-000002/instance.json', '{ cut off');
  put('pools/gpu/instances/gpu-000001/instance.json', { wanted: 'stopped' });
  put('pools/.deleting-old/pool.json', {});
  put('galleries/headstart/debian-12/2026.1116.0/version.json', {});
  put('galleries/SIG_local/kamino-pool1-prototype/2026.9.30/version.json', {});
  put('galleries/SIG_local/kamino-pool1-prototype/2026.10.2/version.json', {
    tags: { 'headstart-donor': 'pool1-000001' },
  });
  put('galleries/SIG_local/kamino-pool1-prototype/definition.json', {});
  put('clusters/lab/cluster.json', {});
  put('kubeconfig', 'contexts: [{name: "arn:aws:eks:x", context: {cluster: prod}}, {name: \'a\\b\'}]\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

function put(path: string, content: object | string): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

async function lines(words: string[], env: Record<string, string> = {}): Promise<string[]> {
  const { code, stdout, stderr } = await run(['__complete', 'fish', '--', ...words], {
    env: { HEADSTART_HOME: home, ...env },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trimEnd().split('\n');
}

const QEMU = { HEADSTART_VMS: 'qemu' };

describe('of this machine', () => {
  it.each<[string[], Record<string, string>, string[]]>([
    [['pool', 'show', ''], {}, ['gpu\t1 instance', 'pool1\t2 instances of galleries/headstart/debian-12']],
    [
      ['pool', 'ssh', ''],
      {},
      ['gpu-000001\tof gpu, stopped', 'pool1-000001\tof pool1, running', 'pool1-000002\tof pool1'],
    ],
    [['pool', 'set', 'gpu', '--instance', ''], {}, ['gpu-000001\tof gpu, stopped']],
    [['pool', 'create', 'x', '--cluster', ''], {}, ['lab\tcluster of this machine']],
    [['prototype', 'run', '--pool', ''], {}, []],
    [
      ['prototype', 'run', '--vms', 'qemu', '--pool', ''],
      {},
      ['gpu\t1 instance', 'pool1\t2 instances of galleries/headstart/debian-12'],
    ],
    [['prototype', 'run', '--pool', 'gpu', '--node', ''], QEMU, ['gpu-000001\tof gpu, stopped']],
    [
      ['prototype', 'rollback', '--pool', 'pool1', '--to', ''],
      QEMU,
      ['2026.10.2\tmade from pool1-000001', '2026.9.30', 'original\tthe recipe before the first run'],
    ],
    [['prototype', 'rollback', '--pool', 'gpu', '--to', ''], QEMU, ['original\tthe recipe before the first run']],
    [['prototype', 'rollback', '--to', ''], {}, ['original\tthe recipe before the first run']],
    [['image', 'promote', ''], QEMU, ['debian-12/2026.1116.0']],
    [['image', 'test', ''], {}, []],
    [['pool', 'exec', 'pool1-000001', '--', ''], {}, []],
  ])('%j with %j offers %j', async (words, env, expected) => {
    expect((await lines(words, env)).slice(1)).toEqual(expected);
  });

  it('offers a definition, which means its newest version, and each version', async () => {
    const found = await lines(['pool', 'create', 'x', '--image', '']);
    expect(found).toContain('debian-12\tthe newest version, now 2026.1116.0');
    expect(found).toContain('SIG_local/kamino-pool1-prototype/2026.10.2\tmade from pool1-000001');
  });

  it('takes the home folder from the command line, and writes nothing there', async () => {
    const before = readdirSync(home, { recursive: true });
    expect(await lines(['pool', 'show', '--home', join(home, 'nothing'), ''])).toEqual(['values']);
    expect(await lines(['pool', 'show', '--home', '~/home', ''], { HEADSTART_HOME: '/x', HOME: folder })).toHaveLength(
      3,
    );
    expect(readdirSync(home, { recursive: true })).toEqual(before);
  });

  it('has nothing to offer where the home folder cannot be read', async () => {
    const closed = join(folder, 'closed');
    mkdirSync(closed);
    writeFileSync(join(closed, 'pools'), 'a file');
    chmodSync(closed, 0o500);
    expect(await lines(['pool', 'show', ''], { HEADSTART_HOME: closed })).toEqual(['values']);
    expect(await lines(['pool', 'show', ''], { HEADSTART_HOME: '' })).toEqual(['values']);
  });

  it('reads names of contexts, and no server is asked', async () => {
    const config = join(home, 'kubeconfig');
    expect(await lines(['prototype', 'run', '--kubeconfig', config, '--context', ''])).toEqual([
      'values',
      'arn:aws:eks:x\tcluster prod',
      'a\\b',
    ]);
    expect(await lines(['prototype', 'run', '--context', ''], { KUBECONFIG: `${BUNDLE}:${config}` })).toHaveLength(3);
  });
});

describe('of a bundle', () => {
  /** Without a deadline: this machine may be slow. */
  const found = async (kind: BootKind, given: Partial<Given>, text = '', signal = new AbortController().signal) => {
    const whole = { path: 'boot chain', options: new Map(), args: [], files: [], ...given };
    return (await bootValues(kind, whole, text, { nowUs: 0, userHome: folder, signal })).map(({ value }) => value);
  };
  const ofBundle = { options: new Map([['--input', [BUNDLE]]]) };

  it('offers milestones and the units that started, with their names as systemd writes them', async () => {
    const targets = await found('targets', ofBundle);
    expect(targets.slice(0, 2)).toEqual(['kernel-start', 'userspace']);
    expect(targets).toEqual(
      expect.arrayContaining([
        'startup-finished',
        'cloud-final.service',
        'modprobe@fuse.service',
        String.raw`dev-disk-by\x2dlabel-cidata.device`,
      ]),
    );
    expect(await found('units', ofBundle)).not.toContain('startup-finished');
  });

  it('offers what each edit of what-if takes', async () => {
    expect(await found('unit-times', ofBundle)).toContain('cloud-final.service=');
    expect(await found('orderings', ofBundle)).toContain('network-pre.target cloud-init-local.service');
    expect(await found('unit-pairs', ofBundle)).toContain('basic.target ');
    expect(await found('unit-pairs', ofBundle, 'basic.target c')).toContain('basic.target cloud-final.service');
  });

  it('offers the boots there are', async () => {
    expect(await found('boots', ofBundle)).toEqual(['0']);
  });

  it('reads the units of both sides of compare', async () => {
    expect(await found('units', { path: 'boot compare', files: [BUNDLE] })).toContain('cloud-final.service');
  });

  it.each(['-', '/dev/null', '/nonexistent', fileURLToPath(import.meta.url)])(
    'offers nothing when the input is %s',
    async (input) => {
      expect(await found('units', { options: new Map([['--input', [input]]]) })).toEqual([]);
    },
  );

  it('offers nothing when the deadline has passed', async () => {
    expect(await found('units', ofBundle, '', AbortSignal.abort())).toEqual([]);
  });
});

it('reads the active units that systemctl lists', () => {
  const listed = [
    '  kubelet.service                loaded    active   running The kubelet: node agent',
    '  modprobe@drm.service           loaded    inactive dead    Load Kernel Module drm',
    String.raw`  dev-disk-by\x2duuid-1.device   loaded    active   plugged Disk`,
    '',
  ];
  expect(unitsListed(listed.join('\n'))).toEqual([
    { value: 'kubelet.service', summary: 'The kubelet: node agent' },
    { value: String.raw`dev-disk-by\x2duuid-1.device`, summary: 'Disk' },
  ]);
});

describe('for each shell', () => {
  const asked = async (...argv: string[]) => (await run(['__complete', ...argv])).stdout.trimEnd().split('\n');

  it('bash gets only what fits, as it must stand in the line', async () => {
    const line = 'headstart boot export --format=ch';
    expect(await asked('bash', line, 'ch', '--', 'headstart', 'boot', 'export', '--format', '=', 'ch')).toEqual([
      'values',
      'chrome-trace',
    ]);
  });

  it('zsh gets colons and backslashes escaped, and how much of the word stands in front of the value', async () => {
    const config = join(home, 'kubeconfig');
    expect(await asked('zsh', '--', 'prototype', 'run', '--kubeconfig', config, '--context', '')).toEqual([
      'values 0',
      String.raw`arn\:aws\:eks\:x:cluster prod`,
      String.raw`a\\b`,
    ]);
    expect((await asked('zsh', '--', 'boot', 'export', '--format=ch'))[0]).toBe('values 9');
  });

  it('files are left to the shell', async () => {
    for (const words of [
      ['boot', 'export', '-i', ''],
      ['boot', 'compare', ''],
      ['node', 'check', ''],
    ])
      expect(await asked('fish', '--', ...words)).toEqual(['files']);
    expect(await asked('fish', '--', 'pool', 'list', '--home', '')).toEqual(['folders']);
  });

  it.each([[[]], [['tcsh', '--', '']], [['bash']], [['fish', '--']]])('answers %j without an error', async (argv) => {
    expect(await run(['__complete', ...argv])).toMatchObject({ code: 0, stderr: '' });
  });

  it('shows no control character of a name', async () => {
    put('pools/pool1/pool.json', { spec: { image: { id: 'a\u001b[31m\tb\nc' } } });
    expect(await lines(['pool', 'show', ''])).toEqual([
      'values',
      'gpu\t1 instance',
      'pool1\t2 instances of a\ufffd[31m\ufffdb\ufffdc',
    ]);
  });
});
