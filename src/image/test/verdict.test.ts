import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTest, writeTest } from './record.ts';
import { type BootTest, hasPassed, keepBootsOf, withBoot } from './verdict.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-test-record-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const FILES = { kernel: { 'disk.qcow2': 'q' }, firmware: { 'disk.vhd': 'v' } };
const aBuild = (contentSha256: string, sums: Record<string, string> = { ...FILES.kernel, ...FILES.firmware }) => ({
  contentSha256,
  files: Object.fromEntries(Object.entries(sums).map(([name, sha256]) => [name, { sha256, bytes: 1 }])),
});
const build = aBuild('a');

const boot = (way: BootTest['way'], isPassed = true): BootTest => ({
  way,
  files: FILES[way],
  isPassed,
  checks: [],
  phases: [],
  budget: [],
});

describe('test.json', () => {
  it('keeps the last result per boot method, and passes only if all did', () => {
    const one = withBoot(undefined, build, boot('kernel'));
    const two = withBoot(one, build, boot('firmware', false));
    expect(two).toMatchObject({ isPassed: false, boots: [{ way: 'firmware' }, { way: 'kernel' }] });
    expect(withBoot(two, build, boot('firmware'))).toMatchObject({ isPassed: true, boots: [{}, {}] });
  });

  it('drops results of other content', () => {
    const before = withBoot(undefined, build, boot('kernel', false));
    expect(withBoot(before, aBuild('b'), boot('firmware'))).toMatchObject({
      contentSha256: 'b',
      isPassed: true,
      boots: [{}],
    });
  });

  it('counts only for the bytes that were booted, not for others of the same content', () => {
    const both = withBoot(withBoot(undefined, build, boot('kernel')), build, boot('firmware'));
    expect(hasPassed(both, build, 'kernel')).toBe(true);
    const other = aBuild('a', { 'disk.qcow2': 'q', 'disk.vhd': 'other' });
    expect(hasPassed(both, other, 'firmware')).toBe(false);
    expect(keepBootsOf(both, other)?.boots).toEqual([boot('kernel')]);
    expect(withBoot(both, other, { ...boot('firmware'), files: { 'disk.vhd': 'other' } }).boots).toHaveLength(2);
    expect(keepBootsOf(both, aBuild('a', {}))).toBeUndefined();
    expect(keepBootsOf(both, aBuild('b'))).toBeUndefined();
  });

  it('does not count if it lacks the booted files', () => {
    const silent = withBoot(undefined, build, { ...boot('kernel'), files: {} });
    expect(hasPassed(silent, build, 'kernel')).toBe(false);
  });

  it('survives writing and reading', async () => {
    const test = withBoot(undefined, build, { ...boot('kernel'), readyMs: 7, phases: [{ name: 'kernel', tookMs: 3 }] });
    writeTest(folder, test);
    expect(await readTest(folder)).toEqual(test);
  });

  it('reports an error if it cannot be written', () => {
    const test = withBoot(undefined, build, boot('kernel'));
    expect(() => writeTest(join(folder, 'nowhere'), test)).toThrow(
      expect.objectContaining({ code: 'image/test-not-written' }),
    );
  });

  it.each(['', '{}', '[1]', '{"kind": "ImageTest", "isPassed": true}'])(
    'is ignored if it contains %j',
    async (text) => {
      writeFileSync(join(folder, 'test.json'), text);
      expect(await readTest(folder)).toBeUndefined();
    },
  );

  it('is undefined if it does not exist', async () => {
    expect(await readTest(folder)).toBeUndefined();
  });
});
