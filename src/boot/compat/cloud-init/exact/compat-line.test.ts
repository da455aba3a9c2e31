import { describe, expect, it } from 'vitest';
import { stampAt } from '../testing.ts';
import { ToolCrash } from './compat-crash.ts';
import { compatLine } from './compat-line.ts';

const context = { year: 2026, secondsOf: (s: number) => s, readsAmazonLines: true };
const read = (line: string) => compatLine(line, context);
const AT = Date.UTC(2026, 10, 15, 21) / 1000;

describe('compatLine', () => {
  it.each([
    ['the logger', `${stampAt(0)} - handlers.py[DEBUG]: start: init-local/a: doing a`],
    ['the logger with a host', `${stampAt(0)} host - handlers.py[DEBUG]: start: init-local/a: doing a`],
    ['syslog', 'Nov 15 21:00:00 host [CLOUDINIT] handlers.py[DEBUG]: start: init-local/a: doing a'],
    ['Amazon Linux', 'Nov 15 21:00:00 cloud-init[2673]: handlers.py[DEBUG]: start: init-local/a: doing a'],
  ])('reads a line of %s', (_, line) => {
    expect(read(line)).toEqual({
      name: 'init-local/a',
      description: 'doing a',
      timestamp: AT,
      origin: 'cloudinit',
      event_type: 'start',
    });
  });

  it('ignores a line of Amazon Linux where the version does', () => {
    const line = 'Nov 15 21:00:00 cloud-init[2673]: handlers.py[DEBUG]: start: init-local/a: doing a';
    expect(compatLine(line, { ...context, readsAmazonLines: false })).toBe('nothing');
  });

  it('reads the result of a finish, and rejects a finish without one', () => {
    const finish = (rest: string) => read(`${stampAt(0)} - handlers.py[DEBUG]: finish: init-local/a: ${rest}`);
    expect(finish('SUCCESS: a: b')).toMatchObject({ result: 'SUCCESS', description: 'a: b', event_type: 'finish' });
    expect(finish('')).toBe('invalid');
    expect(finish(': x')).toBe('invalid');
  });

  it.each([
    ['init-local', 'init-local', 'starting search for local datasources'],
    ['init', 'init-network', 'searching for network datasources'],
    ['modules:final', 'modules-final', 'finalizing modules'],
  ])('reads a banner for %s as the start of a stage', (written, name, description) => {
    const line = `${stampAt(0)} - util.py[DEBUG]: Cloud-init v. 22.4.2 running '${written}' at Sun, 15 Nov 2026. Up 5 s`;
    expect(read(line)).toMatchObject({ name, description, event_type: 'start' });
  });

  it('crashes on a banner for an unknown stage', () => {
    const line = `${stampAt(0)} - util.py[DEBUG]: Cloud-init v. 1 running 'modules:other' at now`;
    expect(() => read(line)).toThrow("KeyError: 'modules-other'");
  });

  it.each([
    ['start: x without a separator', 'nothing'],
    [`${stampAt(0)} - util.py[DEBUG]: Cloud-init v. 1 finished at now`, 'nothing'],
    [`${stampAt(0)} - a - b`, 'invalid'],
    [`${stampAt(0)} - one two`, 'invalid'],
    [`${stampAt(0)} - Cloud-init v. 1 running init`, 'invalid'],
    ['2026-11-15 21:00:00,1,2 - a start: b', 'invalid'],
    ['2026-11-15 21:00:61,000x - a start: b: c', 'invalid'],
  ])('reads %j as %s', (line, expected) => {
    expect(read(line)).toBe(expected);
  });

  it.each(['  - a start: b', ', - a start: b', 'Nov 15 21:00:00 cloud-init[1]:'])('crashes on %j', (line) => {
    expect(() => read(line)).toThrow(ToolCrash);
  });
});
