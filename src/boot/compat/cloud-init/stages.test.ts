import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blameOf, blameText } from './blame.ts';
import { showText, stageCoverageUs } from './show.ts';
import { bootsOf } from './stages.ts';
import { banner, bootsIn, finishedBanner, report, stageLog, stampAt } from './testing.ts';

const at = (seconds: number) => (Date.UTC(2026, 10, 15, 21) + seconds * 1000) * 1000;

describe('bootsOf', () => {
  it('edge case 19: starts a boot where the uptime decreases', () => {
    const log = stageLog('init-local', 0, 10) + stageLog('init-network', 10, 20) + stageLog('init-local', 300, 10);
    expect(bootsIn(log).map((boot) => boot.steps.length)).toEqual([4, 2]);
  });

  it('edge case 19: starts a boot at init-local with a longer uptime if the kernel started after the last event', () => {
    expect(bootsIn(stageLog('init-local', 0, 10) + stageLog('init-local', 300, 30))).toHaveLength(2);
  });

  it('edge case 19: starts no boot where cloud-init runs again in the same boot after cloud-init clean', () => {
    const log = stageLog('init-local', 0, 10) + stageLog('modules-final', 20, 30) + stageLog('init-local', 500, 510);
    expect(bootsIn(log)).toHaveLength(1);
  });

  it('edge case 19: accepts boots with only init-local', () => {
    const log = banner(stampAt(0), 'init-local', 5) + banner(stampAt(900), 'init-local', 5);
    expect(bootsIn(log)).toHaveLength(2);
  });

  it('gives the version, the datasource and when cloud-init finished', () => {
    const [boot] = bootsIn(stageLog('init-local', 0) + finishedBanner(stampAt(30), 40));
    expect(boot).toMatchObject({ version: '22.4.2', datasource: 'DataSourceNoCloud', finishedUs: at(30) });
  });
});

describe('steps', () => {
  it('edge case 1: keeps a finish without a start, without a duration', () => {
    const log =
      report(stampAt(1), 'finish: init-local/a: SUCCESS: a') + report(stampAt(2), 'finish: init-local: SUCCESS: x');
    const boots = bootsIn(log + stageLog('init-network', 10));
    expect(boots[0]!.steps.map((step) => step.tookUs)).toEqual([undefined, undefined, 4e6, 2e6]);
    expect(showText(boots, undefined)).toContain('[its start is not in this log]');
  });

  it('edge case 2: accepts a stage without children', () => {
    const log = banner(stampAt(0), 'init-local', 5) + report(stampAt(3), 'finish: init-local: SUCCESS: x');
    const text = showText(bootsIn(log), undefined);
    expect(text).toContain('Finished stage: (init-local) 03.00000 seconds');
    expect(text).toContain('Total Time: 3.00000 seconds');
  });

  it('edge case 6: uses the first of two announcements of one stage', () => {
    const log =
      report(stampAt(9), 'start: init-network: searching for network datasources') + stageLog('init-network', 10);
    const [boot] = bootsIn(stageLog('init-local', 0) + log);
    const stage = boot!.steps.find((step) => step.name === 'init-network');
    expect(stage).toMatchObject({ startUs: at(9), tookUs: 5e6 });
  });

  it('edge case 6: accepts a step between the two announcements, as in module stages of 25.1', () => {
    const log = [
      '2026-11-15 23:38:50,280 - handlers.py[DEBUG]: start: modules-config: running modules for config',
      '2026-11-15 23:38:59,447 - handlers.py[DEBUG]: start: modules-config/check-cache: attempting to read from cache [trust]',
      '2026-11-15 23:38:59,468 - handlers.py[DEBUG]: finish: modules-config/check-cache: SUCCESS: restored from cache',
      "2026-11-15 23:39:01,201 - log_util.py[DEBUG]: Cloud-init v. 25.1.4 running 'modules:config' at Sun, 15 Nov 2026 23:38:56 +0000. Up 104.33 seconds.",
      '2026-11-15 23:39:08,705 - handlers.py[DEBUG]: finish: modules-config: SUCCESS: running modules for config',
      '2026-11-15 23:39:15,692 - handlers.py[DEBUG]: start: modules-final: running modules for final',
    ].join('\n');
    const stages = bootsIn(log)[0]!.steps.filter((step) => step.depth === 0);
    expect(stages.map(({ name, tookUs }) => [name, tookUs])).toEqual([
      ['modules-config', 18_425_000],
      ['modules-final', undefined],
    ]);
  });

  it('edge case 7: nests parents and counts them once', () => {
    const log = [
      banner(stampAt(0), 'init-local', 5),
      report(stampAt(1), 'start: init-local/search-Azure: searching'),
      report(stampAt(2), 'start: azure-ds/crawl_metadata: crawl'),
      report(stampAt(3), 'start: azure-ds/imds: ask'),
      report(stampAt(6), 'finish: azure-ds/imds: SUCCESS: asked'),
      report(stampAt(7), 'finish: azure-ds/crawl_metadata: SUCCESS: crawled'),
      report(stampAt(8), 'finish: init-local/search-Azure: SUCCESS: found local data from DataSourceAzure'),
      report(stampAt(10), 'finish: init-local: SUCCESS: done'),
    ].join('');
    const [boot] = bootsIn(log);
    expect(boot!.datasource).toBe('DataSourceAzure');
    expect(stageCoverageUs(boot!)).toBe(10e6);
    expect(boot!.steps.map((step) => [step.depth, step.tookUs, step.ownUs])).toEqual([
      [0, 10e6, 3e6],
      [1, 7e6, 2e6],
      [2, 5e6, 2e6],
      [3, 3e6, 3e6],
    ]);
    expect(showText([boot!], undefined)).toContain('|  `->asked @03.00000s +03.00000s');
    expect(blameOf(boot!).reduce((sum, { ownUs }) => sum + ownUs, 0)).toBe(10e6);
  });

  it('edge case 8: labels a step during which the clock was set back', () => {
    const log = stageLog('init-local', 0).replace(stampAt(3), stampAt(-1));
    expect(blameText(bootsIn(log))).toContain(
      '-2.00000s (init-local/config-a) [clock step: the clock moved by -2.000s meanwhile]',
    );
  });

  it('edge case 15: does not treat the finished banner as a stage', () => {
    const [boot] = bootsIn(stageLog('init-local', 0) + finishedBanner(stampAt(30), 40));
    expect(boot!.steps).toHaveLength(2);
  });

  it('edge case 17: prefers the monotonic duration over the stamps', () => {
    const log = stageLog('init-local', 0).replace('ran successfully', 'ran successfully (duration: 0.500s)');
    const step = bootsIn(log)[0]!.steps[1]!;
    expect(step).toMatchObject({ tookUs: 500_000, clockStepUs: 1_500_000, description: 'config-a ran successfully' });
  });

  it('edge case 20: detects a clock step between stages from the uptimes in the banners', () => {
    const log = stageLog('init-local', 0, 10) + stageLog('init-network', 3610, 20);
    expect(showText(bootsIn(log), undefined)).toContain('the clock moved by 3599.0 seconds before @3610.00000s');
    expect(
      showText(bootsIn(stageLog('init-local', 0, 10) + stageLog('init-network', 10, 20)), undefined),
    ).not.toContain('Clock step');
  });

  it('keeps timings inside a step, and pauses before a stage', () => {
    const log =
      stageLog('init-local', 0) +
      `${stampAt(9)} - performance.py[DEBUG]: Waiting to start stage network took 4.500 seconds\n` +
      stageLog('init-network', 10).replace(
        'finish: init-network/config-a',
        `x\n${stampAt(12)} - util.py[DEBUG]: Resizing took 0.200 seconds\n${stampAt(13)} - handlers.py[DEBUG]: finish: init-network/config-a`,
      );
    const [boot] = bootsIn(log);
    expect(boot!.pauses).toEqual([{ stage: 'network', startUs: at(4.5), endUs: at(9) }]);
    expect(boot!.steps.at(-1)!.details).toEqual([{ text: 'Resizing', tookUs: 200_000 }]);
    expect(showText([boot!], undefined)).toContain('Waited to start stage: network 04.50000 seconds');
  });

  it('finds the same pauses in lines from the journal', () => {
    const lines = `${stageLog('init-local', 0)}${stampAt(9)} - performance.py[DEBUG]: Waiting to start stage network took 4.500 seconds\n${stageLog('init-network', 10)}`;
    const through = lines.replace(/^(\S+) (\S+),(\d+) - /gm, '$1T$2.$3+00:00 node-a cloud-init[106]: [CLOUDINIT] ');
    expect(bootsIn(through)[0]!.pauses).toEqual([{ stage: 'network', startUs: at(4.5), endUs: at(9) }]);
  });

  it('edge case 39: labels the time in which a pre-provisioned VM is parked as a platform wait', () => {
    const log =
      banner(stampAt(0), 'init-local', 5) +
      report(stampAt(1), 'start: azure-ds/_poll_imds: polling') +
      report(stampAt(961), 'finish: azure-ds/_poll_imds: SUCCESS: polled');
    expect(bootsIn(log)[0]!.steps[1]!.wait).toBe('platform: pre-provisioned VM parked until it is claimed');
    expect(blameText(bootsIn(log))).toContain('[wait, platform: pre-provisioned VM parked');
  });
});

describe('events in any order', () => {
  const name = fc.constantFrom('init-local', 'init-local/a', 'init-network', 'init-network/b', 'azure-ds/c');
  const line = fc.oneof(
    fc.tuple(fc.nat(5000), name).map(([s, n]) => report(stampAt(s), `start: ${n}: x`)),
    fc.tuple(fc.nat(5000), name).map(([s, n]) => report(stampAt(s), `finish: ${n}: SUCCESS: x`)),
    fc.tuple(fc.nat(5000), fc.nat(500)).map(([s, up]) => banner(stampAt(s), 'init-local', up)),
  );

  it('never count a second twice', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 30 }), (lines) => {
        const boots = bootsIn(lines.join(''));
        expect(showText(boots, undefined)).toContain(`${boots.length} boot records analyzed`);
        expect(blameText(boots)).toContain(`${boots.length} boot records analyzed`);
        for (const boot of boots) {
          expect(stageCoverageUs(boot)).toBeGreaterThanOrEqual(0);
          for (const step of boot.steps) expect(step.ownUs ?? 0).toBeLessThanOrEqual(Math.max(0, step.tookUs ?? 0));
        }
      }),
    );
  });

  it('edge case 50: may be a hundred thousand starts without a finish', () => {
    const events = Array.from({ length: 100_000 }, (_, i) => {
      return { kind: 'start' as const, atUs: i, name: `azure-ds/${i}`, description: '' };
    });
    expect(showText(bootsOf(events), undefined)).toContain('1 boot records analyzed');
  });
});
