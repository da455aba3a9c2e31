import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retime } from '../model/retime.ts';
import { anyRecord, bootRecord, managerTimes, span, unit } from '../testing.ts';
import { chain, chainTarget } from './chain.ts';
import { parseEdit, type WhatIfEdit } from './edits.ts';
import { pointGraph } from './point-graph.ts';
import { aksBoot, nodeBoot, parkedNode } from './testing.ts';
import { whatIf } from './what-if.ts';

const saved = (record: typeof nodeBoot, kind: WhatIfEdit['kind'], text: string, target?: string) =>
  whatIf(record, [parseEdit(kind, text)], target).savedUs;

describe('pointGraph', () => {
  it('gives every point its observed time, for any boot', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const graph = pointGraph(record);
        const timed = retime(graph);
        if ('cycle' in timed) throw new Error(timed.cycle.join());
        expect([...timed.startUs]).toEqual(graph.startUs);
      }),
    );
  });

  it.each([
    ['nodeBoot', nodeBoot],
    ['aksBoot', aksBoot],
    ['parkedNode', parkedNode],
  ])('ends %s where the chain ends', (_, record) => {
    const answer = whatIf(record, []);
    expect(answer.target).toBe(chainTarget(record));
    expect(answer.before.targetUs).toBe(chain(record)[0]!.endUs);
  });

  it('carries a dropped ordering of kubelet through to node-ready', () => {
    expect(saved(nodeBoot, 'drop-after', 'kubelet.service cloud-final.service')).toBe(15.5e6);
    expect(saved(nodeBoot, 'drop-after', 'kubelet.service cloud-final.service', 'kubelet-started')).toBe(15.5e6);
    expect(saved(nodeBoot, 'drop-after', 'kubelet.service cloud-final.service', 'network-online')).toBe(0);
  });

  it('shortens the unit of a stage by the time of its module', () => {
    expect(saved(nodeBoot, 'without', 'config-runcmd')).toBe(7e6);
    expect(saved(nodeBoot, 'set', 'config-runcmd=3s')).toBe(4e6);
    expect(saved(nodeBoot, 'without', 'modules-final')).toBe(9e6);
    expect(saved(nodeBoot, 'without', 'config-runcmd', 'network-online')).toBe(0);
  });

  it('starts kubelet earlier if the task before it takes no time', () => {
    expect(saved(aksBoot, 'without', 'AKS.CSE.installDeps')).toBe(7.9e6);
    expect(saved(aksBoot, 'without', 'kubelet:become-ready')).toBe(9.8e6);
  });

  it('says that without the task that started kubelet nothing starts it', () => {
    const answer = whatIf(aksBoot, [parseEdit('without', 'AKS.CSE.ensureKubelet')]);
    expect(answer.notes.join()).toContain('nothing in this boot starts kubelet.service');
  });

  it('uses the first start of kubelet if it was restarted', () => {
    const record = bootRecord({
      units: [unit('app.service', 1, 4), unit('kubelet.service', 300, 0, ['app.service'])],
      spans: [span('kubelet:load', 6, 8, { unit: 'kubelet.service' }), span('kubelet:start', 8, 12)],
      milestones: [{ name: 'node-ready', atUs: 12e6, source: 'kubelet' }],
    });
    const answer = whatIf(record, [parseEdit('set', 'app.service=1s')], 'kubelet.service');
    expect([answer.before.targetUs, answer.after.targetUs]).toEqual([6e6, 3e6]);
    expect(answer.notes.join()).toContain('restarted');
    expect(saved(record, 'set', 'app.service=1s')).toBe(3e6);
  });

  it('defect 12: does not move a unit that a timer started', () => {
    const record = bootRecord({
      units: [
        unit('slow-early.service', 1, 5),
        unit('late.timer', 6, 0, ['slow-early.service'], { triggers: ['late.service'] }),
        unit('late.service', 30, 5, ['slow-early.service'], { triggeredBy: ['late.timer'] }),
        unit('last.service', 36, 1, ['late.service']),
      ],
    });
    expect(saved(record, 'set', 'slow-early.service=0s', 'late.service')).toBe(0);
    const masked = whatIf(record, [parseEdit('mask', 'late.timer')], 'last.service');
    expect(masked.notes).toContain('late.timer started late.service: without it, late.service does not start');
    expect(masked.savedUs).toBeGreaterThan(0);
  });

  it('defect 13: a unit waits for the stop of a conflicting unit', () => {
    const record = bootRecord({
      units: [
        unit('splash.service', 2, 0.2, [], { deactivatingUs: 5e6, deactivatedUs: 14e6 }),
        unit('getty.service', 14, 1, ['splash.service'], { conflicts: ['splash.service'] }),
      ],
    });
    const { chain: links } = whatIf(record, [], 'getty.service');
    expect(links.map((link) => link.unit)).toEqual(['getty.service', 'stop of splash.service', 'splash.service']);
    expect(links[1]!.tookUs).toBe(9e6);
    expect(chain(record, 'getty.service').map((link) => link.name)).toEqual(links.map((link) => link.unit));
    expect(chain(record, 'getty.service')[0]!.gapUs).toBe(0);
    expect(saved(record, 'mask', 'splash.service', 'getty.service')).toBe(12e6);
  });

  it.each(['set', 'mask', 'without'] as const)('defect 14: %s does not shorten the wait of a parked VM', (kind) => {
    const record = bootRecord({
      units: [
        unit('early.service', 1, 3),
        unit('cloud-init-local.service', 5, 1000, ['early.service']),
        unit('app.service', 1006, 1, ['cloud-init-local.service']),
      ],
      manager: managerTimes({ finishUs: 0 }),
    });
    const text = kind === 'set' ? 'cloud-init-local.service=0s' : 'cloud-init-local.service';
    const answer = whatIf(record, [parseEdit(kind, text)], 'app.service');
    expect(answer.savedUs).toBe(0);
    expect(answer.notes.join()).toContain('no edit of the node makes this wait shorter');
    expect(saved(record, 'set', 'early.service=0s', 'app.service')).toBe(0);
    expect(saved(parkedNode, 'without', 'init-local')).toBeLessThan(5e6);
  });

  it('names the milestones that the boot has if the wanted one is not there', () => {
    expect(() => whatIf(nodeBoot, [], 'pod-running')).toThrow('does not have the milestone pod-running');
    expect(() => whatIf(nodeBoot, [], 'node-redy')).toThrow('did you mean node-ready');
  });
});
