import { describe, expect, it } from 'vitest';
import { memoryInput } from '../../../load/input.ts';
import { banner, eventsOf, NOW_US, report, stageLog, stampAt } from '../testing.ts';
import { readLog } from './read-log.ts';

const START = 'handlers.py[DEBUG]: start: init-local/a: doing a';
const at = (year: number, month: number, day: number, hour = 0, minute = 0, second = 0) =>
  Date.UTC(year, month - 1, day, hour, minute, second) * 1000;

describe('readLog with stamps of every kind', () => {
  it.each([
    ['the logger', '2026-11-15 21:08:50,104 - ', at(2026, 11, 15, 21, 8, 50) + 104_000],
    ['the logger with a host', '2026-11-15 21:08:50,104 host - ', at(2026, 11, 15, 21, 8, 50) + 104_000],
    ['syslog', 'Nov 15 21:08:50 host [CLOUDINIT] ', at(2026, 11, 15, 21, 8, 50)],
    [
      'journalctl -o short-precise',
      'Nov 15 21:08:50.074410 x2 cloud-init[106]: [CLOUDINIT] ',
      at(2026, 11, 15, 21, 8, 50) + 74_410,
    ],
    ['Amazon Linux', 'Nov  5 21:08:50 cloud-init[2673]: ', at(2026, 11, 5, 21, 8, 50)],
    ['rsyslog', '<134>Nov 15 21:08:50 host cloud-init: ', at(2026, 11, 15, 21, 8, 50)],
  ])('reads stamps of %s', (_, prefix, expected) => {
    expect(eventsOf(`${prefix}${START}\n`)).toMatchObject([{ kind: 'start', name: 'init-local/a', atUs: expected }]);
  });

  it.each([
    ['2016-08-30T21:53:25.972325+00:00', at(2016, 8, 30, 21, 53, 25) + 972_325],
    ['2016-08-30 21:53:25+02:00', at(2016, 8, 30, 19, 53, 25)],
  ])('edge case 11: reads ISO stamps with an offset, with T or a blank: %s', (stamp, expected) => {
    expect(eventsOf(`${stamp} y1 [CLOUDINIT] ${START}\n`)[0]!.atUs).toBe(expected);
  });

  it('warns if no banner names the year of stamps without one', () => {
    const notes = (text: string) => readLog(memoryInput('c.log', text), NOW_US).notes.map((note) => note.text);
    const start = `Nov 15 21:08:50 host [CLOUDINIT] ${START}\n`;
    const named =
      "Nov 15 21:08:51 host [CLOUDINIT] util.py[DEBUG]: Cloud-init v. 22.1 running 'init-local' at Sun, 15 Nov 2020 21:08:51 +0000. Up 5.00 seconds.\n";
    expect(notes(start)).toEqual([expect.stringContaining('the year is unknown and read as 2026')]);
    expect(notes(start + named)).toEqual([]);
  });

  it('edge case 10: puts February 29th into the last leap year', () => {
    expect(eventsOf(`Feb 29 10:00:00 host [CLOUDINIT] ${START}\n`)[0]!.atUs).toBe(at(2024, 2, 29, 10));
  });

  it('edge case 10: puts January after December, and neither into the future', () => {
    const log = `Dec 31 23:59:59 host [CLOUDINIT] ${START}\nJan 1 00:00:01 host [CLOUDINIT] ${START}\n`;
    const times = eventsOf(log, at(2026, 1, 2)).map((event) => event.atUs);
    expect(times).toEqual([at(2025, 12, 31, 23, 59, 59), at(2026, 1, 1, 0, 0, 1)]);
  });

  it('takes a missing year from the banner, also for the lines before it', () => {
    const log =
      `Sep  2 19:28:06 host [CLOUDINIT] ${START}\n` +
      "Sep  2 19:28:07 host [CLOUDINIT] util.py[DEBUG]: Cloud-init v. 0.7.7 running 'init-local' at Fri, 02 Sep 2016 19:28:07 +0000. Up 1.0 seconds.\n";
    expect(eventsOf(log).map((event) => event.atUs)).toEqual([at(2016, 9, 2, 19, 28, 6), at(2016, 9, 2, 19, 28, 7)]);
  });

  it('edge case 12: detects local time from the banner, which is in UTC', () => {
    const local =
      "2014-03-14 15:59:40,250 - util.py[DEBUG]: Cloud-init v. 0.7.5 running 'init-local' at Fri, 14 Mar 2014 21:29:40 +0000. Up 3.22 seconds.\n" +
      `2014-03-14 15:59:41,000 - ${START}\n`;
    const { events, notes } = readLog(memoryInput('old.log', local), NOW_US);
    expect(events.map((event) => event.atUs)).toEqual([
      at(2014, 3, 14, 21, 29, 40) + 250_000,
      at(2014, 3, 14, 21, 29, 41),
    ]);
    expect(notes[0]!.text).toContain('UTC-05:30');
  });
});

describe('readLog with lines of every kind', () => {
  it('edge case 3: ignores a second separator inside the message', () => {
    const log = report(stampAt(0), 'finish: init-local/a: SUCCESS: a - b [CLOUDINIT] c');
    expect(eventsOf(log)).toMatchObject([{ description: 'a - b [CLOUDINIT] c', result: 'SUCCESS' }]);
  });

  it('edge case 4: reads one event from a line with two markers', () => {
    const log = report(stampAt(0), 'start: init-local/a: says finish: and Cloud-init v. too');
    expect(eventsOf(log)).toHaveLength(1);
  });

  it('edge case 5: accepts any stage name in a banner', () => {
    expect(eventsOf(banner(stampAt(0), 'modules:init', 1))).toMatchObject([
      { kind: 'banner', name: 'modules-init', upUs: 1e6 },
    ]);
  });

  it('edge case 17: reads the monotonic duration at the end of a line and strips it', () => {
    const log = report(stampAt(0), 'finish: init-local/a: SUCCESS: done (really) (duration: 1.250s)');
    expect(eventsOf(log)).toMatchObject([{ description: 'done (really)', durationUs: 1_250_000 }]);
  });

  it('edge case 18: reads a custom log format if the names are those of cloud-init', () => {
    expect(eventsOf('[2026-11-15T21:08:50Z] DEBUG start: modules-final/config-runcmd: running\n')).toHaveLength(1);
    expect(eventsOf('2026-11-15 21:08:50,104 - x restart: of: something\n')).toHaveLength(0);
  });

  it('warns about events without a readable time', () => {
    const log = `${stageLog('init-local', 0)}no time here [DEBUG]: start: init-local/b: b\n`;
    expect(readLog(memoryInput('bad.log', log), NOW_US).notes).toEqual([
      { level: 'warning', text: 'bad.log: line 5: skipped an event without a readable time' },
    ]);
  });

  it('edge case 14: warns about a truncated line', () => {
    const log = `${stageLog('init-local', 0)}${stampAt(9)} - handlers.py[DEBUG]: start: init-netw`;
    const { events, notes } = readLog(memoryInput('cut.log', log), NOW_US);
    expect(events).toHaveLength(4);
    expect(notes.map((note) => note.text)).toEqual(['cut.log: line 5: skipped a truncated or damaged event']);
  });
});
