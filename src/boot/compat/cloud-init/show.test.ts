import { describe, expect, it } from 'vitest';
import { showText, stageCoverageUs } from './show.ts';
import { banner, bootsIn, report, stageLog, stampAt } from './testing.ts';

describe('showText', () => {
  it('prints stages, their steps and how long each took', () => {
    const text = showText(bootsIn(stageLog('init-local', 0)), undefined);
    expect(text).toContain('-- Boot Record 01 --\n');
    expect(text).toContain(
      'Starting stage: init-local\n|`->config-a ran successfully @01.00000s +02.00000s\nFinished stage: (init-local) 04.00000 seconds\n',
    );
    expect(text).toMatch(/Total Time: 4\.00000 seconds\n\n1 boot records analyzed\n$/);
  });

  it('uses a custom format, without remarks', () => {
    const log = stageLog('init-local', 0).replace('SUCCESS: config-a', 'WARN: config-a');
    expect(showText(bootsIn(log), '%n %r')).toContain('\ninit-local/config-a WARN\n');
  });

  it('edge case 13: prints banners without events as unfinished stages', () => {
    const log = banner(stampAt(0), 'init-local', 5, '0.7.5') + banner(stampAt(4), 'init', 9, '0.7.5');
    expect(showText(bootsIn(log), undefined)).toContain(
      'Unfinished stage: (init-network) [its finish is not in this log]',
    );
  });

  it('edge case 14: counts an unfinished stage up to the last event', () => {
    const cut = stageLog('init-network', 10).split('\n').slice(0, 2).join('\n');
    const [boot] = bootsIn(`${stageLog('init-local', 0)}${cut}\n`);
    expect(stageCoverageUs(boot!)).toBe(5e6);
    expect(showText([boot!], undefined)).toContain('Unfinished stage: (init-network)');
  });

  it('edge case 16: prints WARN and FAIL', () => {
    const log = stageLog('init-local', 0)
      .replace('SUCCESS: config-a', 'WARN: config-a')
      .replace('SUCCESS: running', 'FAIL: running');
    const text = showText(bootsIn(log), undefined);
    expect(text).toMatch(/\+02\.00000s \[WARN\]$/m);
    expect(text).toMatch(/04\.00000 seconds \[FAIL\]$/m);
  });

  it('prints pauses in order, before a stage and at the end', () => {
    const pause = (atS: number, stage: string) =>
      `${stampAt(atS)} - performance.py[DEBUG]: Waiting to start stage ${stage} took 2.000 seconds\n`;
    const log = stageLog('init-local', 0) + pause(8, 'network') + stageLog('init-network', 8) + pause(20, 'config');
    const lines = showText(bootsIn(log), undefined)
      .split('\n')
      .filter((line) => /^(Starting|Waited)/.test(line));
    expect(lines).toEqual([
      'Starting stage: init-local',
      'Waited to start stage: network 02.00000 seconds',
      'Starting stage: init-network',
      'Waited to start stage: config 02.00000 seconds',
    ]);
  });

  it('prints a clock step between two stages', () => {
    const log = stageLog('init-local', 0, 5) + stageLog('init-network', 3610, 20);
    expect(showText(bootsIn(log), undefined)).toMatch(
      /Clock step: by the uptime in the banners the clock moved by 359\d\.\d seconds/,
    );
  });

  it('prints zero boots without boots', () => {
    expect(showText([], undefined)).toBe('0 boot records analyzed\n');
    expect(showText(bootsIn(report(stampAt(0), 'nothing')), undefined)).toBe('0 boot records analyzed\n');
  });
});
