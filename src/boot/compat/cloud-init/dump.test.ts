import { describe, expect, it } from 'vitest';
import { memoryInput } from '../../load/input.ts';
import { dumpText } from './dump.ts';
import { readDump } from './read/read-dump.ts';
import { eventsOf, finishedBanner, report, stageLog, stampAt } from './testing.ts';

const dumped = (log: string) => JSON.parse(dumpText(eventsOf(log))) as Record<string, unknown>[];

describe('dumpText', () => {
  it('prints a banner as the start of its stage, with the description of the real tool', () => {
    expect(dumped(stageLog('init-local', 0))[0]).toMatchObject({
      event_type: 'start',
      name: 'init-local',
      description: 'starting search for local datasources',
      origin: 'cloudinit',
    });
    expect(dumped(stageLog('modules-init', 0))[0]).toMatchObject({ description: 'running modules-init' });
  });

  it('prints the result of a finish', () => {
    const log =
      report(stampAt(0), 'start: init-local/a: x') +
      report(stampAt(1), 'finish: init-local/a: WARN: x') +
      report(stampAt(2), 'finish: init-local/b: no word');
    expect(dumped(log).map(({ result }) => result)).toEqual([undefined, 'WARN', undefined]);
  });

  it('omits the last banner and timings, like the real tool', () => {
    const log = `${finishedBanner(stampAt(0), 9)}${stampAt(1)} - x.py[DEBUG]: Doing a took 2.0 seconds\n`;
    expect(dumped(log)).toEqual([]);
  });

  it('can be read back as the same events', () => {
    const events = eventsOf(stageLog('init-local', 0) + stageLog('modules-final', 9));
    const back = readDump(memoryInput('d', dumpText(events))).events;
    expect(back.map(({ atUs }) => atUs)).toEqual(events.map(({ atUs }) => atUs));
  });
});
