import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endsOf, originUs, TOTAL_NAMES } from '../model/total.ts';
import { anyRecord } from '../testing.ts';
import { measuresOf } from './compare-measures.ts';
import { nodeBoot } from './testing.ts';

describe('measuresOf', () => {
  it('returns phases, units, spans and milestones under ids that two boots share', () => {
    const { measures, totalUs } = measuresOf(nodeBoot, undefined, 0);
    expect(totalUs).toBeUndefined();
    expect(measures.get('phase:kernel')).toMatchObject({ what: 'phase', us: 2e6 });
    expect(measures.get('systemd:cloud-final.service')).toMatchObject({ what: 'unit', us: 10e6 });
    expect(measures.get('cloud-init:modules-final')).toMatchObject({
      what: 'span',
      inside: 'systemd:cloud-final.service',
    });
    expect(measures.get('milestone:node-ready')).toMatchObject({ what: 'milestone', us: 30e6 });
    expect([...measures.values()].some((measure) => measure.onPathUs !== undefined)).toBe(false);
  });

  it('counts milestones from the given start', () => {
    expect(measuresOf(nodeBoot, undefined, 2e6).measures.get('milestone:node-ready')!.us).toBe(28e6);
  });

  it('puts the links of the chain on the path, and modules with their unit', () => {
    const { measures, totalUs } = measuresOf(nodeBoot, 'node-ready', 0);
    expect(totalUs).toBe(30e6);
    expect(measures.get('cloud-init:modules-final/config-runcmd')!.onPathUs).toBe(7e6);
    expect(measures.get('systemd:late.service')!.onPathUs).toBeUndefined();
    expect(measures.get('gap:node-ready')).toMatchObject({ name: 'until node-ready', us: 8e6 });
  });

  it('has no total if the end was not reached', () => {
    expect(measuresOf(nodeBoot, 'pod-running', 0)).not.toHaveProperty('totalUs');
  });

  it('adds up to the total: measures on the path that are not inside another one', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const end = TOTAL_NAMES.find((name) => endsOf(record).has(name));
        const { totalUs, measures } = measuresOf(record, end, originUs(record));
        if (totalUs === undefined) return;
        const ofPath = [...measures.values()].filter((m) => m.onPathUs !== undefined);
        const isPart = (inside: string | undefined) =>
          inside !== undefined && measures.get(inside)?.onPathUs !== undefined;
        const sumUs = ofPath.filter((m) => !isPart(m.inside)).reduce((sum, m) => sum + m.onPathUs!, 0);
        expect(sumUs).toBe(totalUs);
      }),
    );
  });
});
