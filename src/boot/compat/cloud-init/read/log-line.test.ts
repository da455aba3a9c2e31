import { describe, expect, it } from 'vitest';
import { banner, finishedBanner, report, stampAt } from '../testing.ts';
import { isEventLike, parseLogLine, stampOf } from './log-line.ts';

const at = (text: string) => Date.parse(text) * 1000;
const read = (line: string) => parseLogLine(line.trimEnd(), (stamp) => ('us' in stamp ? stamp.us : undefined));
const AT = at('2026-11-15T21:00:00Z');

describe('a line of a cloud-init log', () => {
  it('that reports a start or a finish gives its name, level, words and result', () => {
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
    ['said so', undefined, 'said so'],
    ['', undefined, ''],
  ])('that finishes with %j has the result %s', (rest, result, description) => {
    const event = read(`${stampAt(0)} - handlers.py[DEBUG]: finish: init-local/a: ${rest}`);
    expect(event).toMatchObject({ kind: 'finish', description });
    expect((event as { result?: string }).result).toBe(result);
  });

  it('that is a banner gives the stage, the version, its clock in UTC and the uptime', () => {
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

  it('that times something gives what and how long, also through syslog', () => {
    const took = 'util.py[DEBUG]: Running command x took 1.250 seconds (1.25)';
    expect(read(`${stampAt(0)} - ${took}`)).toMatchObject({ kind: 'took', what: 'Running command x', tookUs: 1.25e6 });
    expect(read(`2026-11-15T21:00:00Z host cloud-init[106]: ${took}`)).toMatchObject({ what: 'Running command x' });
  });

  it.each([
    'nothing of interest',
    `${stampAt(0)} - util.py[DEBUG]: it took long`,
    `${stampAt(0)} - util.py[DEBUG]: start of: something`,
    'no time here [DEBUG]: start: init-local/a: a',
  ])('%j is no event', (line) => {
    expect(read(line)).toBeUndefined();
  });

  it('that is cut off in its name is no event, but looks like one', () => {
    const cut = `${stampAt(0)} - handlers.py[DEBUG]: start: init-netw`;
    expect(read(cut)).toBeUndefined();
    expect(isEventLike(cut)).toBe(true);
    expect(isEventLike('restart: x')).toBe(false);
  });
});

describe('the stamp of a line', () => {
  it.each([
    ['2026-11-15 21:00:00,104 - x', { kind: 'local', us: AT + 104_000 }],
    ['2026-11-15T21:00:00.5Z x', { kind: 'zoned', us: AT + 500_000 }],
    ['[2026-11-15T23:00:00+02:00] x', { kind: 'zoned', us: AT }],
    ['<134>Nov  5 21:00:00.25 host x', { kind: 'yearless', month: 11, day: 5, dayUs: 21 * 3600e6 + 250_000 }],
    ['Feb 29 00:00:00 host x', { kind: 'yearless', month: 2, day: 29, dayUs: 0 }],
    ['Feb 30 00:00:00 host x', { kind: 'none' }],
    ['Foo 12 00:00:00 host x', { kind: 'none' }],
    ['2026-13-15 21:00:00 x', { kind: 'none' }],
    ['no time', { kind: 'none' }],
    [`${'x'.repeat(80)} 2026-11-15T21:00:00Z`, { kind: 'none' }],
  ])('%j', (line, expected) => {
    expect(stampOf(line)).toEqual(expected);
  });

  it('is the first of two', () => {
    expect(stampOf('Nov 15 21:00:00 host 2026-11-15T21:00:01Z')).toMatchObject({ kind: 'yearless' });
    expect(stampOf('2026-11-15T21:00:01Z Nov 15 21:00:00')).toMatchObject({ kind: 'zoned' });
  });
});
