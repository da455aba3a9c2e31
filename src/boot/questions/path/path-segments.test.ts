import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BootRecord } from '../../model/record.ts';
import { anyRecord, bootRecord, managerTimes, span, unit } from '../../testing.ts';
import { aksBoot, eventsBoot, nodeBoot, parkedBoot, parkedNode } from '../testing.ts';
import { timeline } from '../timeline.ts';
import { pathSegments } from './path-segments.ts';

const told = (record: BootRecord) =>
  pathSegments(record).segments.map((one) => `${one.kind} ${one.name} ${one.startUs / 1e6}-${one.endUs / 1e6}`);

function expectExact(record: BootRecord): void {
  const { segments, startUs, endUs } = pathSegments(record);
  const { totalUs } = timeline(record);
  expect(segments.reduce((sum, one) => sum + one.endUs - one.startUs, 0)).toBe(totalUs ?? 0); // no total: no segments
  let atUs = startUs;
  for (const segment of segments) {
    expect(segment.startUs).toBe(atUs);
    expect(segment.endUs).toBeGreaterThan(segment.startUs);
    atUs = segment.endUs;
  }
  if (segments.length > 0) expect(atUs).toBe(endUs);
}

describe('the segments of the path', () => {
  test('start at the kernel and end at Ready, gaps included', () => {
    expect(told(nodeBoot)).toEqual([
      'work kernel 0-2',
      'gap before systemd: security policy 2-2.1',
      'work systemd: security policy 2.1-2.2',
      'gap before systemd: generators 2.2-2.3',
      'work systemd: generators 2.3-2.4',
      'work systemd: load units 2.4-2.5',
      'gap before basic.target 2.5-3',
      'wait systemd-networkd-wait-online.service 3-8',
      'gap before cloud-final.service 8-8.5',
      'work cloud-final.service 8.5-18.5',
      'gap before kubelet.service 18.5-19',
      'work kubelet.service 19-20',
      'gap before node-registered 20-22',
      'gap before node-ready 22-30',
    ]);
  });

  test('divide the work of a stage at the wait inside it', () => {
    expect(told(parkedNode)).toContain('wait azure-ds/_poll_imds 6-1006');
    expect(told(parkedNode)).toContain('work init-local 5-6');
    expect(told(parkedNode)).toContain('work init-local 1006-1008');
  });

  test('divide the initrd at the time until a person typed a passphrase', () => {
    const record = bootRecord({
      manager: managerTimes({
        ...{ initrdUs: 1e6, userspaceUs: 29e6, finishUs: 40e6, securityStartUs: 29e6, securityFinishUs: 29.1e6 },
        ...{ generatorsStartUs: 0, generatorsFinishUs: 0, unitsLoadStartUs: 0, unitsLoadFinishUs: 0 },
      }),
      units: [
        unit('systemd-cryptsetup@root.service', 2, 26),
        unit('systemd-ask-password-console.service', 2.5, 0),
        unit('multi-user.target', 40, 0),
      ],
    });
    expect(told(record).slice(0, 4)).toEqual([
      'work kernel 0-1',
      'work initrd 1-2',
      'wait systemd-cryptsetup@root.service 2-28',
      'work initrd 28-29',
    ]);
    expectExact(record);
  });

  test('say why a link failed', () => {
    const failed = { activeState: 'failed', result: 'timeout', activatedUs: 0, deactivatedUs: 93e6 };
    const record = bootRecord({
      manager: managerTimes({ userspaceUs: 2e6, finishUs: 94e6 }),
      units: [unit('a.service', 3, 0, [], failed), unit('multi-user.target', 93.5, 0, ['a.service'])],
    });
    const segment = pathSegments(record).segments.find(({ name }) => name === 'a.service');
    expect(segment?.failure).toBe('timed out after 1min 30s');
    expectExact(record);
  });

  test('include the creation of the VM as a wait', () => {
    const record = bootRecord({
      manager: managerTimes({ finishUs: 4e6 }),
      units: [unit('a.service', 3, 1)],
      milestones: [{ name: 'vm-created', atUs: -20e6, source: 'platform' }],
    });
    expect(told(record)[0]).toBe('wait VM creation -20-0');
  });

  test('belong to the groups of the way to Ready', () => {
    const groups = new Map(pathSegments(nodeBoot).segments.map(({ name, group }) => [name, group]));
    expect(groups.get('kernel')).toBe('kernel');
    expect(groups.get('systemd-networkd-wait-online.service')).toBe('early units');
    expect(groups.get('cloud-final.service')).toBe('cloud-init');
    expect(groups.get('kubelet.service')).toBe('kubelet');
    expect(groups.get('before node-ready')).toBe('cluster');
  });

  test('are none for a boot without a known event', () => {
    expect(pathSegments(bootRecord())).toMatchObject({ segments: [], links: [] });
  });

  test.each([
    ['a node', nodeBoot],
    ['an AKS node', aksBoot],
    ['events only', eventsBoot],
    ['a parked VM', parkedBoot],
    ['a parked node', parkedNode],
  ])('add up to the total of the timeline: %s', (_, record) => expectExact(record));

  test('add up to the total of the timeline for any boot, and never overlap', () => {
    fc.assert(fc.property(anyRecord, expectExact), { numRuns: 300 });
  });

  test('add up for any boot with milestones', () => {
    const milestones = fc.uniqueArray(
      fc.record({
        name: fc.constantFrom('vm-created', 'kubelet-started', 'node-registered', 'node-ready'),
        atUs: fc.integer({ min: -30_000_000, max: 120_000_000 }),
        source: fc.constant('cluster'),
      }),
      { selector: ({ name }) => name },
    );
    fc.assert(
      fc.property(anyRecord, milestones, (record, more) => {
        expectExact({ ...record, milestones: more as BootRecord['milestones'] });
      }),
      { numRuns: 300 },
    );
  });

  test('never count a wait twice', () => {
    const record = bootRecord({
      spans: [
        span('cloud-init:init-local', 0, 10),
        span('cloud-init:init-local/outer', 1, 8, { parent: 'cloud-init:init-local', wait: 'platform: outer' }),
        span('cloud-init:init-local/inner', 2, 4, { parent: 'cloud-init:init-local/outer', wait: 'platform: inner' }),
      ],
    });
    expect(told(record)).toEqual(['work init-local 0-1', 'wait init-local/outer 1-8', 'work init-local 8-10']);
  });
});
