import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BootTest, readTest, withBoot, writeTest } from './record.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-test-record-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const boot = (way: BootTest['way'], isPassed = true): BootTest => ({
  way,
  isPassed,
  checks: [],
  phases: [],
  budget: [],
});

describe('test.json', () => {
  it('holds one result a way, the last one, and passed only if all did', () => {
    const one = withBoot(undefined, 'a', boot('kernel'));
    const two = withBoot(one, 'a', boot('firmware', false));
    expect(two).toMatchObject({ isPassed: false, boots: [{ way: 'firmware' }, { way: 'kernel' }] });
    expect(withBoot(two, 'a', boot('firmware'))).toMatchObject({ isPassed: true, boots: [{}, {}] });
  });

  it('says nothing of other content', () => {
    const before = withBoot(undefined, 'a', boot('kernel', false));
    expect(withBoot(before, 'b', boot('firmware'))).toMatchObject({ contentSha256: 'b', isPassed: true, boots: [{}] });
  });

  it('is read back as it was written', async () => {
    const test = withBoot(undefined, 'a', { ...boot('kernel'), readyMs: 7, phases: [{ name: 'kernel', tookMs: 3 }] });
    writeTest(folder, test);
    expect(await readTest(folder)).toEqual(test);
  });

  it('says so when it cannot be written', () => {
    const test = withBoot(undefined, 'a', boot('kernel'));
    expect(() => writeTest(join(folder, 'nowhere'), test)).toThrow(
      expect.objectContaining({ code: 'image/test-not-written' }),
    );
  });

  it.each(['', '{}', '[1]', '{"kind": "ImageTest", "isPassed": true}'])('that is %j is none', async (text) => {
    writeFileSync(join(folder, 'test.json'), text);
    expect(await readTest(folder)).toBeUndefined();
  });

  it('that is not there is none', async () => {
    expect(await readTest(folder)).toBeUndefined();
  });
});
