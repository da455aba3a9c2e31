import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endsOf, originUs, TOTAL_NAMES } from '../model/total.ts';
import { anyRecord } from '../testing.ts';
import { measuresOf } from './compare-measures.ts';
import { nodeBoot } from './testing.ts';

describe('the measures of a boot', () => {
  it('are its phases, units, spans and milestones, each under an id that two boots share', () => {
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

  it('count milestones from the start that is given', () => {
    expect(measuresOf(nodeBoot, undefined, 2e6).measures.get('milestone:node-ready')!.us).toBe(28e6);
  });

  it('are on the path where the chain to the end goes through them, a module with the unit it is part of', () => {
    const { measures, totalUs } = measuresOf(nodeBoot, 'node-ready', 0);
    expect(totalUs).toBe(30e6);
    expect(measures.get('cloud-init:modules-final/config-runcmd')!.onPathUs).toBe(7e6);
    expect(measures.get('systemd:late.service')!.onPathUs).toBeUndefined();
    expect(measures.get('gap:node-ready')).toMatchObject({ name: 'until node-ready', us: 8e6 });
  });

  it('have no total to an end that was not reached', () => {
    expect(measuresOf(nodeBoot, 'pod-running', 0)).not.toHaveProperty('totalUs');
  });

  it('on the path and not inside another one add up to the total', () => {
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
