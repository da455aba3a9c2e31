import { describe, expect, test } from 'vitest';
import { bannerFacts, parseBanner } from './cloud-init-banners.ts';

const at = (stage: string, up: number) =>
  parseBanner(
    `Cloud-init v. 23.1.2 running '${stage}' at Tue, 17 Nov 2026 10:00:${String(Math.floor(up)).padStart(2, '0')} +0000. Up ${up} seconds.`,
  )!;
const finished = parseBanner(
  'Cloud-init v. 23.1.2 finished at Tue, 17 Nov 2026 10:00:40 +0000. Datasource DataSourceEc2Local.  Up 40.25 seconds',
)!;

describe('a banner of cloud-init', () => {
  test('has the stage, the uptime and the date', () => {
    expect(at('init', 7.5)).toEqual({
      version: '23.1.2',
      stage: 'init-network',
      upUs: 7.5e6,
      wallUs: Date.UTC(2026, 10, 17, 10, 0, 7) * 1000,
    });
    expect(finished).toMatchObject({ upUs: 40.25e6, datasource: 'ec2' });
    expect(finished.stage).toBeUndefined();
  });

  test.each(['Cloud-init v. 1 running', "x Cloud-init v. 1 running 'init' at now. Up 1 seconds", ''])(
    'is not %j',
    (text) => {
      expect(parseBanner(text)).toBeUndefined();
    },
  );
});

describe('bannerFacts', () => {
  test('gives the end and the last stage; the ends of the other stages are unknown, not the start of the next', () => {
    const facts = bannerFacts([at('init-local', 5), at('init', 7.5), at('modules:final', 20), finished], 'console.txt');
    expect(facts.spans).toMatchObject([{ name: 'modules-final', startUs: 20e6, endUs: 40.25e6 }]);
    expect(facts.milestones).toMatchObject([
      { name: 'cloud-init-started', atUs: 5e6, errorUs: 10_000 },
      { name: 'cloud-init-finished', atUs: 40.25e6, errorUs: 10_000 },
    ]);
    expect(facts.notes[0]!.text).toContain(
      'not when they ended: init-local at 5s, init-network at 7.500s; add cloud-init.log',
    );
    expect(facts.anchors[0]).toEqual({
      monotonicUs: 5e6,
      wallUs: Date.UTC(2026, 10, 17, 10, 0, 5) * 1000,
      errorUs: 1e6,
    });
  });

  test('a boot that had not finished has no end, and its last stage no duration', () => {
    const facts = bannerFacts([at('init', 7), at('modules:final', 20)], 'console.txt');
    expect(facts).toMatchObject({ spans: [], milestones: [] });
    expect(facts.notes[0]!.text).toContain('modules-final at 20s');
  });
});
