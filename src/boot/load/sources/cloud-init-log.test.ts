import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { banner, finishedBanner, NOW_US, report, stageLog, stampAt } from '../../compat/cloud-init/testing.ts';
import { memoryInput } from '../input.ts';
import { openInputs } from '../open-inputs.ts';
import { cloudInitLogSource } from './cloud-init-log.ts';
import { sourceSuite } from './source.suite.ts';

const context = { nowUs: NOW_US };
const fixtures = fileURLToPath(new URL('../../fixtures/boots/', import.meta.url));
const parse = (log: string) => cloudInitLogSource.parse(memoryInput('cloud-init.log', log), context);

describe('cloudInitLogSource', () => {
  it('gives stages with their units and modules, and when cloud-init started and finished', async () => {
    const [group] = await openInputs(`${fixtures}first-boot.tar.gz`, () => new Uint8Array());
    const log = group!.inputs.find((input) => input.name.endsWith('cloud/cloud-init.log'))!;
    const [boot, ...others] = cloudInitLogSource.parse(log, context);
    expect(others).toEqual([]);
    expect(boot!.host).toEqual({ cloudInitVersion: '22.4.2', cloud: 'nocloud' });
    expect(boot!.spans.filter((span) => !span.parent).map((span) => [span.id, span.unit])).toEqual([
      ['cloud-init:init-local', 'cloud-init-local.service'],
      ['cloud-init:init-network', 'cloud-init.service'],
      ['cloud-init:modules-config', 'cloud-config.service'],
      ['cloud-init:modules-final', 'cloud-final.service'],
    ]);
    expect(boot!.spans.find((span) => span.id === 'cloud-init:modules-final/config-scripts-user')).toMatchObject({
      parent: 'cloud-init:modules-final',
      unit: 'cloud-final.service',
      result: 'ok',
    });
    expect(boot!.milestones.map((milestone) => milestone.name)).toEqual(['cloud-init-started', 'cloud-init-finished']);
    expect(boot!.notes).toEqual([]);
  });

  it('edge case 20: anchors uptime to the wall clock so that every anchor includes the true kernel start', async () => {
    const [group] = await openInputs(`${fixtures}first-boot.tar.gz`, () => new Uint8Array());
    const log = group!.inputs.find((input) => input.name.endsWith('cloud/cloud-init.log'))!;
    const [boot] = cloudInitLogSource.parse(log, context);
    const kernelStartUs = Date.UTC(2026, 10, 15, 21, 7, 58) * 1000 + 763_000; // by the same boot's journal
    expect(boot!.anchors).toHaveLength(5);
    for (const { monotonicUs, wallUs, errorUs } of boot!.anchors) {
      expect(wallUs - monotonicUs).toBeLessThanOrEqual(kernelStartUs);
      expect(wallUs + errorUs - monotonicUs).toBeGreaterThanOrEqual(kernelStartUs);
    }
  });

  it('uses the unit name of 24.3, and numbers repeated stages', () => {
    const log = stageLog('init-network', 10) + stageLog('init-network', 20);
    const [boot] = parse(log.replaceAll('22.4.2', '24.3'));
    expect(boot!.spans.filter((span) => !span.parent).map((span) => [span.id, span.unit])).toEqual([
      ['cloud-init:init-network', 'cloud-init-network.service'],
      ['cloud-init:init-network#2', 'cloud-init-network.service'],
    ]);
  });

  it('labels the time in which a VM is parked as a wait, but not the time in which a stage waits for units of the node', () => {
    const log =
      banner(stampAt(0), 'init-local', 5) +
      report(stampAt(1), 'start: azure-ds/wait_for_nic_detach_event: waiting') +
      report(stampAt(901), 'finish: azure-ds/wait_for_nic_detach_event: SUCCESS: detached') +
      report(stampAt(902), 'finish: init-local: SUCCESS: done') +
      `${stampAt(910)} - performance.py[DEBUG]: Waiting to start stage network took 8.000 seconds\n`;
    const waits = parse(log)[0]!.spans.filter((span) => span.wait);
    expect(waits.map((span) => [span.name, span.endUs - span.startUs, span.unit])).toEqual([
      ['azure-ds/wait_for_nic_detach_event', 900e6, 'cloud-init-local.service'],
    ]);
    expect(waits[0]!.wait).toBe('platform: pre-provisioned VM parked until it is claimed');
  });

  it('keeps cloud-init’s own name of the cloud', () => {
    const [boot] = parse(stageLog('init-local', 0) + finishedBanner(stampAt(9), 9, 'DataSourceEc2Local'));
    expect(boot!.host!.cloud).toBe('ec2');
  });

  it('edge case 8: never ends a span before its start, and warns that the clock stepped', () => {
    const log = stageLog('init-local', 0).replace(stampAt(3), stampAt(-1)) + stageLog('init-network', 3610, 20);
    const [boot] = parse(log);
    for (const span of boot!.spans) expect(span.endUs).toBeGreaterThanOrEqual(span.startUs);
    expect(boot!.notes.map((note) => note.text).join()).toContain('the clock moved by 3589.0 s or more');
  });
});

describe('recognising a cloud-init log', () => {
  it('accepts the log of a recorded boot and no other file of it', async () => {
    const [group] = await openInputs(`${fixtures}clone-boot.tar.gz`, () => new Uint8Array());
    const taken = group!.inputs.filter((input) => cloudInitLogSource.recognise(input) >= 0.5);
    expect(taken.map((input) => input.name.split('/').slice(-2).join('/'))).toEqual(['cloud/cloud-init.log']);
  });

  it.each([
    ['syslog', 'Nov 15 21:08:50 host [CLOUDINIT] '],
    ['Amazon Linux', 'Nov 15 21:08:50 cloud-init[2673]: '],
    ['ISO', '2026-11-15T21:08:50+00:00 host [CLOUDINIT] '],
  ])('accepts a log with %s timestamps', (_, prefix) => {
    const line = `${prefix}handlers.py[DEBUG]: start: init-local/a: doing a\n`;
    expect(cloudInitLogSource.recognise(memoryInput('log', line))).toBeGreaterThan(0.9);
  });
});

describe('a log of very many boots', () => {
  it('gives every boot, without the modules of boots that a thousand others follow', () => {
    const boots = parse(Array.from({ length: 1003 }, (_, n) => stageLog('init-local', n * 60, 5)).join(''));
    expect(boots).toHaveLength(1003);
    const modules = boots.map(({ spans }) => spans.filter(({ parent }) => parent !== undefined).length);
    expect(modules).toEqual([0, 0, 0, ...Array(1000).fill(1)]);
    for (const { spans } of boots) expect(spans[0]).toMatchObject({ name: 'init-local' });
    expect(boots[2]!.notes.map(({ text }) => text)).toEqual([
      'cloud-init.log: more than 1000 boots follow this one, so only its stages were read; cut the log after it to see its modules',
    ]);
    expect(boots[3]!.notes).toEqual([]);
  });
});

describe('a damaged cloud-init log', () => {
  it('parses without throwing', () => {
    const log = stageLog('init-local', 0) + stageLog('modules-final', 10);
    fc.assert(
      fc.property(fc.nat(log.length), fc.nat(20), fc.string({ maxLength: 10, unit: 'binary' }), (from, length, put) => {
        const evidence = parse(log.slice(0, from) + put + log.slice(from + length));
        for (const span of evidence.flatMap((piece) => piece.spans)) {
          expect(span.endUs).toBeGreaterThanOrEqual(span.startUs);
          expect(Number.isSafeInteger(span.startUs)).toBe(true);
        }
      }),
    );
  });
});

sourceSuite(cloudInitLogSource, stageLog('init-local', 0) + stageLog('modules-final', 10));
