import { describe, expect, it } from 'vitest';
import type { CloudInitBoot, CloudInitStep } from './stages.ts';
import { maskControls, remarks, stepWriter } from './step-text.ts';

const boot: CloudInitBoot = { steps: [], ticks: [], pauses: [], firstUs: 10e6, lastUs: 99e6 };
const step: CloudInitStep = {
  name: 'init-local/a',
  description: 'doing a',
  depth: 2,
  childrenUs: 0,
  startUs: 12e6,
  endUs: 15e6,
  tookUs: 3e6,
  ownUs: 1.5e6,
  level: 'DEBUG',
  result: 'WARN',
};
const bare: CloudInitStep = { name: 'x', description: '', depth: 0, childrenUs: 0 };
const write = (format: string, one: CloudInitStep = step) => stepWriter(format)(one, boot);

describe('stepWriter', () => {
  it.each([
    ['%d', '03.00000', '?'],
    ['%D', 'doing a', 'x'],
    ['%E', '02.00000', '?'],
    ['%e', 'finish', 'start'],
    ['%I', '| `->', '|`->'],
    ['%l', 'DEBUG', '?'],
    ['%n', 'init-local/a', 'x'],
    ['%o', 'cloudinit', 'cloudinit'],
    ['%r', 'WARN', '?'],
    ['%t', '15.00000', '00.00000'],
    ['%T', '01.50000', '?'],
    ['%x 100% %', '%x 100% %', '%x 100% %'],
  ])('prints %s as %j, or as %j if unknown', (format, known, unknown) => {
    expect([write(format), write(format, bare)]).toEqual([known, unknown]);
  });

  it('limits the indentation', () => {
    expect(write('%I', { ...step, depth: 9000 })).toHaveLength(44);
  });
});

describe('remarks', () => {
  it.each<[Partial<CloudInitStep>, string]>([
    [{ result: 'SUCCESS' }, ''],
    [{}, ' [WARN]'],
    [{ result: 'SUCCESS', wait: 'platform: parked' }, ' [wait, platform: parked]'],
    [{ result: 'SUCCESS', clockStepUs: 2.5e6 }, ' [clock step: the clock moved by +2.500s meanwhile]'],
    [{ result: 'SUCCESS', clockStepUs: -1e6 }, ' [clock step: the clock moved by -1.000s meanwhile]'],
  ])('of a step with %j are %j', (more, expected) => {
    expect(remarks({ ...step, ...more })).toBe(expected);
  });

  it('name the end that is not in the log', () => {
    expect(remarks(bare)).toBe(' [its start is not in this log]');
    expect(remarks({ ...bare, startUs: 1 })).toBe(' [its finish is not in this log]');
  });
});

it('maskControls replaces control characters', () => {
  expect(maskControls('a\u001b[31m\u009bb\u00e9')).toBe('a\ufffd[31m\ufffdb\u00e9');
});
