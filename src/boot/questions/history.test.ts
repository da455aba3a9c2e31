import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BOOT_API_VERSION, type BootRecord, type HostFacts, type ManagerTimes, type Unit } from '../model/record.ts';
import { type HistoryChange, history } from './history.ts';

const SECOND = 1_000_000;

interface Sketch {
  kernelUs?: number;
  userspaceUs?: number;
  services?: string[];
  host?: HostFacts;
  readyUs?: number;
}

function boot({
  kernelUs = 2 * SECOND,
  userspaceUs = 10 * SECOND,
  services = [],
  host = {},
  readyUs,
}: Sketch = {}): BootRecord {
  const manager: ManagerTimes = {
    ...{
      firmwareUs: 0,
      loaderUs: 0,
      kernelUs: 0,
      initrdUs: 0,
      userspaceUs: kernelUs,
      finishUs: kernelUs + userspaceUs,
    },
    ...{ securityStartUs: kernelUs, securityFinishUs: kernelUs, generatorsStartUs: 0, generatorsFinishUs: 0 },
    ...{ unitsLoadStartUs: 0, unitsLoadFinishUs: 0, initrdSecurityStartUs: 0, initrdSecurityFinishUs: 0 },
    ...{
      initrdGeneratorsStartUs: 0,
      initrdGeneratorsFinishUs: 0,
      initrdUnitsLoadStartUs: 0,
      initrdUnitsLoadFinishUs: 0,
    },
    ...{ shutdownStartUs: 0, softRebootsCount: 0 },
  };
  const unit = (name: string): Unit => ({
    ...{ name, activatingUs: kernelUs + 1, activatedUs: kernelUs + 2, deactivatingUs: 0, deactivatedUs: 0, after: [] },
  });
  return {
    ...{ apiVersion: BOOT_API_VERSION, kind: 'BootRecord', clock: { zero: 'kernel' }, manager, host, spans: [] },
    ...{ units: services.map(unit), sources: [], notes: [] },
    milestones: readyUs === undefined ? [] : [{ name: 'node-ready', atUs: readyUs, source: 'kubelet' }],
  };
}

const flagged = (sketches: Sketch[]) =>
  history(sketches.map(boot)).map(({ changes }) => changes.map((change) => describeChange(change)));
const describeChange = (change: HistoryChange) =>
  'figure' in change
    ? `${change.figure} ${change.what}`
    : 'fact' in change
      ? change.fact
      : `${change.what} ${change.units}`;
const userspace = (seconds: number[]) =>
  history(seconds.map((s) => boot({ userspaceUs: Math.round(s * SECOND) }))).map(({ changes }) =>
    changes.flatMap((change) => ('figure' in change && change.figure === 'userspace' ? [change.what] : [])).join(),
  );

describe('history', () => {
  it('returns the phases, the total and the time until Ready of each boot', () => {
    const [only] = history([boot({ readyUs: 25 * SECOND })]);
    expect(only).toEqual({
      tookUs: { kernel: 2 * SECOND, userspace: 10 * SECOND, total: 12 * SECOND, 'node-ready': 25 * SECOND },
      changes: [],
    });
  });

  it.each([
    ['flags no boot if all take the same time', [10, 10, 10, 10], ['', '', '', '']],
    ['flags one slow boot among many', [10, 10, 10, 20, 10, 10], ['', '', '', 'slower', '', '']],
    [
      'flags only the first of several slower boots',
      [10, 10, 10, 20, 20, 20.5, 19.9],
      ['', '', '', 'slower', '', '', ''],
    ],
    ['flags the first boot that is fast again', [10, 10, 20, 20, 20, 10, 10], ['', '', 'slower', '', '', 'faster', '']],
    ['does not flag less than half a second', [1, 1, 1, 1.4], ['', '', '', '']],
    ['does not flag less than a tenth', [60, 60, 60, 65], ['', '', '', '']],
    [
      'does not flag a difference within the usual spread',
      [10, 14, 8, 12, 9, 15, 11, 16],
      ['', 'slower', '', '', '', '', '', ''],
    ],
    ['flags two outliers that disagree', [10, 10, 10, 20, 40, 10], ['', '', '', 'slower', 'slower', '']],
  ])('%s', (_name, seconds, expected) => {
    expect(userspace(seconds)).toEqual(expected);
  });

  it('reports by how much a boot changed, compared with how many boots', () => {
    const [, , , last] = history([10, 10, 12, 20].map((s) => boot({ userspaceUs: s * SECOND })));
    expect(last!.changes).toContainEqual({
      ...{ what: 'slower', figure: 'userspace', fromUs: 10 * SECOND, toUs: 20 * SECOND, comparedBoots: 3 },
    });
  });

  it('flags another kernel or image once, also across boots that do not report it', () => {
    expect(
      flagged([
        { host: { kernel: '6.1', os: 'Debian 12' } },
        { host: { kernel: '6.2' } },
        { host: {} },
        { host: { kernel: '6.2', os: 'Debian 13' } },
      ]),
    ).toEqual([[], ['kernel'], [], ['os']]);
  });

  it('flags services that are new or gone, but not those for users and devices', () => {
    expect(
      flagged([
        { services: ['a.service', 'b.service', 'user@0.service'] },
        { services: ['a.service', 'b.service', 'run-r1.service'] },
        { services: ['a.service', 'c.service'] },
        { services: ['a.service', 'c.service'] },
      ]),
    ).toEqual([[], [], ['new-units c.service', 'gone-units b.service'], []]);
  });

  const seconds = fc.integer({ min: 1, max: 600 });

  it('flags no boot if all are alike', () => {
    fc.assert(
      fc.property(seconds, fc.integer({ min: 1, max: 40 }), (s, count) => {
        expect(userspace(Array(count).fill(s)).every((what) => what === '')).toBe(true);
      }),
    );
  });

  it('flags a step of more than a tenth and half a second exactly once, at its boot', () => {
    fc.assert(
      fc.property(seconds, fc.integer({ min: 1, max: 15 }), fc.integer({ min: 1, max: 15 }), (s, before, after) => {
        const steps = userspace([...Array(before).fill(s), ...Array(after).fill(s * 1.2 + 1)]);
        expect(steps.flatMap((what, i) => (what === '' ? [] : [i]))).toEqual([before]);
      }),
    );
  });

  it('returns the same for a boot, for any later boots', () => {
    fc.assert(
      fc.property(fc.array(seconds, { maxLength: 30 }), fc.array(seconds, { maxLength: 5 }), (series, later) => {
        expect(userspace([...series, ...later]).slice(0, series.length)).toEqual(userspace(series));
      }),
    );
  });

  it('lists a boot without figures and ignores it in comparisons', () => {
    const { manager: _, ...bare } = boot();
    const boots = history([boot(), bare, boot({ userspaceUs: 20 * SECOND })]);
    expect(boots.map(({ changes }) => changes.length)).toEqual([0, 0, 2]);
  });
});
