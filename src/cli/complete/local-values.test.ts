import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completionHome } from './testing.ts';

const at = completionHome();
const QEMU = { HEADSTART_VMS: 'qemu' };

describe('the values on this machine', () => {
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
      ['2026.10.2\tmade from pool1-000001', '2026.9.30', 'original\tthe model before the first run'],
    ],
    [['prototype', 'rollback', '--pool', 'gpu', '--to', ''], QEMU, ['original\tthe model before the first run']],
    [['prototype', 'rollback', '--to', ''], {}, ['original\tthe model before the first run']],
    [['image', 'promote', ''], QEMU, ['debian-12/2026.1116.0']],
    [['image', 'test', ''], {}, []],
    [['pool', 'exec', 'pool1-000001', '--', ''], {}, []],
  ])('for %j with %j are %j', async (words, env, expected) => {
    expect((await at.lines(words, env)).slice(1)).toEqual(expected);
  });

  it('include each image definition, which means its newest version, and each version', async () => {
    const found = await at.lines(['pool', 'create', 'x', '--image', '']);
    expect(found).toContain('debian-12\tthe newest version, now 2026.1116.0');
    expect(found).toContain('SIG_local/kamino-pool1-prototype/2026.10.2\tmade from pool1-000001');
  });

  it('come from the home folder on the command line, and nothing is written there', async () => {
    const before = readdirSync(at.home, { recursive: true });
    expect(await at.lines(['pool', 'show', '--home', join(at.home, 'nothing'), ''])).toEqual(['values']);
    expect(
      await at.lines(['pool', 'show', '--home', '~/home', ''], { HEADSTART_HOME: '/x', HOME: at.folder }),
    ).toHaveLength(3);
    expect(readdirSync(at.home, { recursive: true })).toEqual(before);
  });

  it('are empty if the home folder cannot be read', async () => {
    const closed = join(at.folder, 'closed');
    mkdirSync(closed);
    writeFileSync(join(closed, 'pools'), 'a file');
    chmodSync(closed, 0o500);
    expect(await at.lines(['pool', 'show', ''], { HEADSTART_HOME: closed })).toEqual(['values']);
    expect(await at.lines(['pool', 'show', ''], { HEADSTART_HOME: '' })).toEqual(['values']);
  });
});
