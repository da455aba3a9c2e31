import { describe, expect, it } from 'vitest';
import { writeTest } from '../../image/publish/testing.ts';
import { runVerb } from '../testing.ts';
import { imagePromote } from './promote.ts';
import { useGallery, useLocks } from './testing.ts';

const { place } = useLocks();
const { list, open, publish } = useGallery(place);

const promote = (...argv: string[]) => runVerb(imagePromote(open), argv);

describe('image promote', () => {
  it('moves a channel from one version to another', async () => {
    await publish('2026.1116.0');
    await publish('2026.1116.1');
    expect(await promote('node-1.35.8/2026.1116.0', '--to', 'dev')).toMatchObject({
      code: 0,
      stdout: 'did put 2026.1116.0 into dev\n',
    });
    expect(await promote('node-1.35.8/2026.1116.1', '--to', 'dev')).toMatchObject({
      stdout: 'did move dev from 2026.1116.0 to 2026.1116.1\n',
    });
    expect((await list()).map(({ version, channels }) => [version, channels])).toEqual([
      ['2026.1116.1', ['dev']],
      ['2026.1116.0', []],
    ]);
    expect(await promote('node-1.35.8/2026.1116.0', '--to', 'dev')).toMatchObject({ code: 1 });
  });

  it('changes nothing with --dry-run', async () => {
    await publish('2026.1116.0');
    const { stdout } = await promote('node-1.35.8/2026.1116.0', '--to', 'dev', '--dry-run');
    expect(stdout).toBe('would put 2026.1116.0 into dev\n');
    expect((await list())[0]?.channels).toEqual([]);
  });

  it('includes a version in latest that was published untested, once its build has passed a test', async () => {
    await publish('2026.1116.0', false);
    const argv = ['node-1.35.8/2026.1116.0', '--to', 'dev', '--build', place('2026.1116.0')];
    expect(await promote(...argv)).toMatchObject({ code: 1, stderr: expect.stringContaining('image/untested') });
    writeTest(place('2026.1116.0'), `${'0'.repeat(63)}0`);
    expect(await promote(...argv)).toMatchObject({ code: 0 });
    expect(await list()).toMatchObject([{ channels: ['dev'], isTested: true, isExcludedFromLatest: false }]);
  });

  it.each([
    ['node-1.35.8', 2],
    ['a/b/c', 2],
    ['node-1.35.8/1.2.3', 1],
    ['nothing/1.2.3', 1],
  ])('refuses %s, which does not exist', async (image, code) => {
    await publish('2026.1116.0');
    expect(await promote(image, '--to', 'dev')).toMatchObject({ code });
  });

  it('refuses an unknown channel', async () => {
    expect(await promote('a/b', '--to', 'prod')).toMatchObject({ code: 2 });
  });
});
