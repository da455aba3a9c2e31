import { describe, expect, it } from 'vitest';
import { runVerb } from '../testing.ts';
import { imageList } from './list.ts';
import { imagePromote } from './promote.ts';
import { useGallery, useLocks } from './testing.ts';

const { place } = useLocks();
const { open, publish } = useGallery(place);

describe('image list', () => {
  it('lists each version with its channels, test result and state, also on a narrow terminal', async () => {
    await publish('2026.1116.0');
    await publish('2026.1116.1');
    await runVerb(imagePromote(open), ['node-1.35.8/2026.1116.1', '--to', 'dev']);
    expect((await runVerb(imageList(open), [])).stdout).toMatch(/node-1\.35\.8 +2026\.1116\.1 +dev +yes +yes +ready/);
    const narrow = await runVerb(imageList(open), [], { columns: 60, env: { NO_COLOR: '1' } });
    expect(narrow.stdout).toMatch(
      /^node-1\.35\.8 +2026\.1116\.1 +dev +yes .*\n {4}CONTENT [0-9a-f]{12} {2}GB \d+ {2}SINCE /m,
    );
  });

  it('shows which versions are untested and excluded from latest', async () => {
    await publish('2026.1116.0', false);
    expect((await runVerb(imageList(open), [])).stdout).toMatch(/node-1\.35\.8 +2026\.1116\.0 +no +excluded +ready/);
  });

  it('says how to publish to an empty gallery', async () => {
    expect((await runVerb(imageList(open), [])).stdout).toContain('no images yet');
  });
});
