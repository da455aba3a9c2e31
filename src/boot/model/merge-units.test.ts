import { describe, expect, it } from 'vitest';
import { unit } from '../testing.ts';
import { evidence, type SourceKind } from './evidence.ts';
import { mergeUnits } from './merge-units.ts';
import type { Unit } from './record.ts';
import { merge } from './testing.ts';

const listing = (kind: SourceKind, units: Unit[], shiftUs = 0) => ({
  evidence: evidence({ kind, input: kind, clock: 'monotonic', units }),
  shift: (us: number) => us + shiftUs,
});

describe('mergeUnits', () => {
  it('uses the order of the listing with the most started units', () => {
    const [boot] = merge(
      evidence({
        kind: 'systemctl-units',
        input: '1',
        clock: 'monotonic',
        units: [unit('b.service', 0, 0), unit('a.service', 1, 1)],
      }),
      evidence({
        kind: 'systemctl-units',
        input: '2',
        clock: 'monotonic',
        units: [unit('a.service', 1, 1, ['b.service']), unit('c.service', 2, 1)],
      }),
    );
    expect(boot!.units.map((u) => u.name)).toEqual(['a.service', 'c.service', 'b.service']);
    expect(boot!.units[0]!.after).toEqual(['b.service']);
  });

  it('does not add units to a complete listing: a unit that is only in the journal becomes a span', () => {
    const [boot] = merge(
      evidence({ kind: 'systemctl-units', input: 'u', clock: 'monotonic', units: [unit('a.service', 1, 1)] }),
      evidence({
        kind: 'journal-json',
        input: 'j',
        clock: 'monotonic',
        units: [unit('a.service', 1, 1), unit('gone.service', 4, 1)],
      }),
    );
    expect(boot!.units.map((u) => u.name)).toEqual(['a.service']);
    expect(boot!.spans).toMatchObject([{ id: 'systemd:gone.service', startUs: 4e6, endUs: 5e6 }]);
  });

  it('adds the targets and devices of a plot to a listing of services only', () => {
    const services = listing('systemctl-units', [unit('a.service', 1, 1, ['b.target'])]);
    const plot = listing('analyze-plot-svg', [unit('a.service', 1, 2), unit('b.target', 3, 0)]);
    const { units, unused } = mergeUnits([services, plot]);
    expect(units).toEqual([unit('a.service', 1, 1, ['b.target']), unit('b.target', 3, 0)]);
    expect(unused).toEqual(new Set());
    const all = listing('systemctl-units', [unit('a.service', 1, 1), unit('c.target', 3, 0)]);
    expect(mergeUnits([all, plot]).units.map(({ name }) => name)).toEqual(['a.service', 'c.target']);
  });

  it('combines times and edges if no listing is complete', () => {
    const { units } = mergeUnits([
      listing('analyze-blame', [unit('a.service', 0, 0)]),
      listing('journal-json', [unit('a.service', 5, 2), unit('b.service', 6, 1)]),
      listing('analyze-critical-chain', [unit('a.service', 4, 2, ['base.target'])]),
    ]);
    expect(units).toMatchObject([
      { name: 'a.service', activatingUs: 4e6, after: ['base.target'] },
      { name: 'b.service', activatingUs: 6e6 },
    ]);
  });

  it('shifts units to the clock of the record, but not units that never started', () => {
    const { units } = mergeUnits([
      listing('analyze-plot-json', [unit('a.service', 5, 2), unit('b.service', 0, 0)], 3e6),
    ]);
    expect(units.map(({ activatingUs }) => activatingUs)).toEqual([8e6, 0]);
  });

  it('returns which listings a complete listing made unnecessary', () => {
    const { unused } = mergeUnits([
      listing('systemctl-units', [unit('a.service', 5, 2)]),
      listing('analyze-blame', [unit('a.service', 5, 2)]),
      listing('journal-json', [unit('a.service', 5, 2)]),
    ]);
    expect([...unused]).toEqual(['analyze-blame']);
  });

  it('adds no span for an alias of a known unit or for a unit that took no time', () => {
    const { spans } = mergeUnits([
      listing('systemctl-units', [unit('ssh.service', 5, 2, [], { aliases: ['sshd.service'] })]),
      listing('journal-json', [unit('sshd.service', 5, 2), unit('instant.target', 6, 0), unit('gone.service', 6, 1)]),
      listing('journal-text', [unit('gone.service', 6, 1)]),
    ]);
    expect(spans.map(({ id }) => id)).toEqual(['systemd:gone.service']);
  });

  it('returns no units if no evidence lists any', () => {
    expect(mergeUnits([])).toEqual({ units: [], spans: [], unused: new Set() });
  });
});
