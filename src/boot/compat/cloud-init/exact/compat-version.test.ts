import { describe, expect, it } from 'vitest';
import { compatVersion, NEWEST } from './compat-version.ts';

describe('compatVersion', () => {
  it('rejects text that is not a version', () => {
    expect(() => compatVersion('newest')).toThrow(/not a cloud-init version/);
  });

  it('uses the newest version by default', () => {
    expect(compatVersion(true)).toEqual(compatVersion(NEWEST));
  });

  it.each([
    ['splitsOnRepeatedStage', '22.3', '22.4'],
    ['endsStageWithBlank', '19.2', '19.3'],
    ['exitsWithWord', '26.1', '26.2'],
  ] as const)('%s up to %s, and no longer in %s', (field, last, next) => {
    expect([compatVersion(last)[field], compatVersion(next)[field]]).toEqual([true, false]);
  });

  it.each([
    ['reportsEmptyFile', '23.4', '24.1'],
    ['readsUtc', '24.1', '24.2'],
    ['printsOffset', '24.3', '24.4'],
    ['readsAmazonLines', '20.2', '20.3'],
    ['hasBoot', '19.1', '19.2'],
  ] as const)('%s not yet in %s, but in %s', (field, last, first) => {
    expect([compatVersion(last)[field], compatVersion(first)[field]]).toEqual([false, true]);
  });

  it.each(['16.4', '0.7.9'])('rejects %s, which had no `analyze`', (version) => {
    expect(() => compatVersion(version)).toThrow(/exists since 17\.1/);
  });

  it('names the new address of the documentation since 24.4', () => {
    expect(compatVersion('24.3').docsUrl).toContain('cloudinit.readthedocs.io');
    expect(compatVersion('24.4').docsUrl).toContain('docs.cloud-init.io');
  });

  it('treats a point release like its minor version', () => {
    expect(compatVersion('22.4.2')).toEqual({ ...compatVersion('22.4'), name: '22.4.2' });
  });
});
