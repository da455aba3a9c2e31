import { describe, expect, it } from 'vitest';
import { banner, finishedBanner, report, stampAt } from '../testing.ts';
import { isEventLike, parseLogLine, stampOf } from './log-line.ts';

const at = (text: string) => Date.parse(text) * 1000;
const read = (line: string) => parseLogLine(line.trimEnd(), (stamp) => ('us' in stamp ? stamp.us : undefined));
const AT = at('2026-11-15T21:00:00Z');

describe('parseLogLine', () => {
  it('gives the name, level, description and result of a start or finish', () => {
    expect(read(report(stampAt(0), 'start: init-local/a: doing a'))).toEqual({
      kind: 'start',
      atUs: AT,
      name: 'init-local/a',
      description: 'doing a',
      level: 'DEBUG',
    });
    expect(read(report(stampAt(0), 'finish: init-local/a: FAIL: a: b (duration: 2.5s)'))).toMatchObject({
      kind: 'finish',
      result: 'FAIL',
      description: 'a: b',
      durationUs: 2.5e6,
    });
  });

  it.each([
    ['SUCCESSFUL: a', undefined, 'SUCCESSFUL: a'],
    ['SUCCESS', 'SUCCESS', ''],
    ['other text', undefined, 'other text'],
    ['', undefined, ''],
  ])('reads the finish %j with the result %s', (rest, result, description) => {
    const event = read(`${stampAt(0)} - handlers.py[DEBUG]: finish: init-local/a: ${rest}`);
    expect(event).toMatchObject({ kind: 'finish', description });
    expect((event as { result?: string }).result).toBe(result);
  });

  it('gives the stage, the version, the UTC clock and the uptime of a banner', () => {
    expect(read(banner(stampAt(0), 'modules:final', 12.5))).toEqual({
      kind: 'banner',
      atUs: AT,
      name: 'modules-final',
      version: '22.4.2',
      clockUs: AT,
      upUs: 12.5e6,
    });
    expect(read(banner(stampAt(0), 'init', 5))).toMatchObject({ name: 'init-network' });
    expect(read(finishedBanner(stampAt(0), 60))).toMatchObject({
      kind: 'finished',
      datasource: 'DataSourceNoCloud',
      upUs: 60e6,
    });
  });

  it('gives the description and the duration of a timing, also from syslog', () => {
    const took = 'util.py[DEBUG]: Running command x took 1.250 seconds (1.25)';
    expect(read(`${stampAt(0)} - ${took}`)).toMatchObject({ kind: 'took', what: 'Running command x', tookUs: 1.25e6 });
    expect(read(`2026-11-15T21:00:00Z host cloud-init[106]: ${took}`)).toMatchObject({ what: 'Running command x' });
    const clockSet = `${stampAt(0)} - util.py[DEBUG]: cloud-init mode 'modules' took 359854.991 seconds (1.17)`;
    expect(read(clockSet)).toMatchObject({ tookUs: 1.17e6 });
  });

  it.each([
    'an ordinary line',
    `${stampAt(0)} - util.py[DEBUG]: it took long`,
    `${stampAt(0)} - util.py[DEBUG]: start of: something`,
    'no time here [DEBUG]: start: init-local/a: a',
  ])('ignores %j', (line) => {
    expect(read(line)).toBeUndefined();
  });

  it('ignores an event truncated in its name, which isEventLike accepts', () => {
    const cut = `${stampAt(0)} - handlers.py[DEBUG]: start: init-netw`;
    expect(read(cut)).toBeUndefined();
    expect(isEventLike(cut)).toBe(true);
    expect(isEventLike('restart: x')).toBe(false);
  });
});

describe('stampOf', () => {
  it.each([
    ['2026-11-15 21:00:00,104 - x', { kind: 'local', us: AT + 104_000 }],
    ['2026-11-15T21:00:00.5Z x', { kind: 'zoned', us: AT + 500_000 }],
    ['[2026-11-15T23:00:00+02:00] x', { kind: 'zoned', us: AT, isWholeSecond: true }],
    ['<134>Nov  5 21:00:00.25 host x', { kind: 'yearless', month: 11, day: 5, dayUs: 21 * 3600e6 + 250_000 }],
    ['Feb 29 00:00:00 host x', { kind: 'yearless', month: 2, day: 29, dayUs: 0, isWholeSecond: true }],
    ['Feb 30 00:00:00 host x', { kind: 'none' }],
    ['Foo 12 00:00:00 host x', { kind: 'none' }],
    ['2026-13-15 21:00:00 x', { kind: 'none' }],
    ['no time', { kind: 'none' }],
    [`${'x'.repeat(80)} 2026-11-15T21:00:00Z`, { kind: 'none' }],
  ])('reads %j', (line, expected) => {
    expect(stampOf(line)).toEqual(expected);
  });

  it('uses the first of two stamps', () => {
    expect(stampOf('Nov 15 21:00:00 host 2026-11-15T21:00:01Z')).toMatchObject({ kind: 'yearless' });
    expect(stampOf('2026-11-15T21:00:01Z Nov 15 21:00:00')).toMatchObject({ kind: 'zoned' });
  });
});
