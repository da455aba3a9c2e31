import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Inspection, type PatchFacts, parseInspection } from './inspection.ts';
import { describePatchState, patchState } from './patch-state.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 10, 18, 12);
const PATCHED: PatchFacts = {
  nowMs: NOW_MS,
  bootedMs: NOW_MS - 24 * HOUR_MS,
  changedMs: NOW_MS - 30 * HOUR_MS,
  kernels: ['6.8.0-1015-azure', '6.8.0-1017-azure', '6.8.0-60-generic'],
  updates: { manager: 'apt', isKnown: true, count: 0, security: 0, listsMs: NOW_MS - HOUR_MS },
};
const inspected = (patches: Partial<PatchFacts> = {}, more: Partial<Inspection> = {}): Inspection => ({
  ...parseInspection(''),
  kernel: '6.8.0-1017-azure',
  patches: { ...PATCHED, ...patches },
  ...more,
});

describe('patchState', () => {
  it('is patched only if everything was looked at, and says what', () => {
    const state = patchState(inspected());
    expect(state.state).toBe('patched');
    expect(describePatchState(state)).toBe(
      'yes: it runs the newest installed kernel (6.8.0-1017-azure); no update is pending (apt lists of 2026-11-18); its packages last changed on 2026-11-17, before its last start',
    );
  });

  it.each<[string, Inspection, string]>([
    ['a newer kernel', inspected({}, { kernel: '6.8.0-1015-azure' }), 'but 6.8.0-1017-azure is installed'],
    [
      'a newer kernel of an rpm distribution',
      inspected(
        { kernels: ['5.14.0-427.el9_4.x86_64', '5.14.0-503.el9_5.x86_64'] },
        { kernel: '5.14.0-427.el9_4.x86_64' },
      ),
      'but 5.14.0-503.el9_5.x86_64 is installed',
    ],
    [
      'pending updates',
      inspected({ updates: { manager: 'apt', isKnown: true, count: 3, security: 1, listsMs: NOW_MS } }),
      '3 updates are pending, 1 of them for security (apt lists of 2026-11-18)',
    ],
    [
      'one pending update of unknown kind',
      inspected({ updates: { manager: 'dnf', isKnown: true, count: 1 } }),
      '1 update is pending (dnf lists)',
    ],
    ['packages that changed just now', inspected({ changedMs: NOW_MS - 600_000 }), 'packages changed 10min ago'],
    [
      'a pending reboot',
      inspected({}, { rebootRequired: { file: '/run/reboot-required', packages: [] } }),
      'a reboot is pending (/run/reboot-required)',
    ],
  ])('is unpatched with %s', (_, inspection, reason) => {
    const state = patchState(inspection);
    expect(state.state).toBe('unpatched');
    expect(describePatchState(state)).toMatch(/^no: /);
    expect(state.reasons.join('; ')).toContain(reason);
  });

  it.each<[string, Partial<PatchFacts>, string]>([
    ['lists', { updates: { manager: 'apt', isKnown: false, because: 'no lists' } }, 'pending updates (apt: no lists)'],
    [
      'recent lists',
      { updates: { manager: 'apt', isKnown: true, count: 0, listsMs: NOW_MS - 30 * 24 * HOUR_MS } },
      'updates newer than its apt lists of 2026-10-19',
    ],
    ['a kernel of its kind', { kernels: ['6.8.0-60-generic'] }, 'no kernel of its kind'],
    ['any kernel', { kernels: [] }, 'no kernel of its kind'],
  ])('is unknown without %s', (_, facts, unknown) => {
    const state = patchState(inspected(facts));
    expect(state).toMatchObject({ state: 'unknown', reasons: [] });
    expect(describePatchState(state)).toContain(`unknown: ${unknown}`);
  });

  it('judges the time with the newest packages by the given span', () => {
    const recent = inspected({ changedMs: NOW_MS - 60_000 });
    expect(patchState(recent).reasons).toEqual([expect.stringContaining('packages changed')]);
    expect(patchState(recent, 30_000).reasons).toEqual([]);
    expect(patchState(recent, 0).reasons).toEqual([]);
  });

  it('is never patched if a fact is missing', () => {
    const facts = ['nowMs', 'bootedMs', 'changedMs', 'updates'] as const;
    fc.assert(
      fc.property(fc.subarray([...facts], { minLength: 1 }), (missing) => {
        const known = Object.entries(PATCHED).filter(([key]) => !missing.some((one) => one === key));
        const patches = Object.fromEntries(known) as unknown as PatchFacts;
        expect(patchState(inspected({}, { patches })).state).toBe('unknown');
      }),
    );
    expect(patchState(parseInspection('')).state).toBe('unknown');
  });

  it('does not mind packages that changed after the last start, if the node has run with them', () => {
    const state = patchState(inspected({ changedMs: NOW_MS - 5 * HOUR_MS }));
    expect(state.state).toBe('patched');
    expect(describePatchState(state)).toContain('after its last start');
  });
});
