import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { banner, finishedBanner, NOW_US, report, stageLog, stampAt } from '../../compat/cloud-init/testing.ts';
import { memoryInput } from '../input.ts';
import { openInputs } from '../open-inputs.ts';
import { cloudInitDumpSource } from './cloud-init-dump.ts';
import { cloudInitLogSource } from './cloud-init-log.ts';

const context = { nowUs: NOW_US };
const fixtures = fileURLToPath(new URL('../../fixtures/boots/', import.meta.url));
const parse = (log: string) => cloudInitLogSource.parse(memoryInput('cloud-init.log', log), context);

describe('a cloud-init log as evidence', () => {
  it('tells stages with their units, modules inside them, and when cloud-init started and finished', async () => {
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

  it('edge case 20: ties uptime to the clock so that the true kernel start lies within every anchor', async () => {
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

  it('names the unit that 24.3 renamed, and numbers what repeats', () => {
    const log = stageLog('init-network', 10) + stageLog('init-network', 20);
    const [boot] = parse(log.replaceAll('22.4.2', '24.3'));
    expect(boot!.spans.filter((span) => !span.parent).map((span) => [span.id, span.unit])).toEqual([
      ['cloud-init:init-network', 'cloud-init-network.service'],
      ['cloud-init:init-network#2', 'cloud-init-network.service'],
    ]);
  });

  it('labels a parked VM and a pause before a stage as waits', () => {
    const log =
      banner(stampAt(0), 'init-local', 5) +
      report(stampAt(1), 'start: azure-ds/wait_for_nic_detach_event: waiting') +
      report(stampAt(901), 'finish: azure-ds/wait_for_nic_detach_event: SUCCESS: detached') +
      report(stampAt(902), 'finish: init-local: SUCCESS: done') +
      `${stampAt(910)} - performance.py[DEBUG]: Waiting to start stage network took 8.000 seconds\n`;
    const waits = parse(log)[0]!.spans.filter((span) => span.wait);
    expect(waits.map((span) => [span.name, span.endUs - span.startUs, span.unit])).toEqual([
      ['azure-ds/wait_for_nic_detach_event', 900e6, 'cloud-init-local.service'],
      ['wait-network', 8e6, 'cloud-init.service'],
    ]);
    expect(waits[0]!.wait).toBe('platform: pre-provisioned VM parked until it is claimed');
  });

  it('keeps the cloud that was found, in cloud-init’s own word', () => {
    const [boot] = parse(stageLog('init-local', 0) + finishedBanner(stampAt(9), 9, 'DataSourceEc2Local'));
    expect(boot!.host!.cloud).toBe('ec2');
  });

  it('edge case 8: never ends a span before it began, and says that the clock stepped', () => {
    const log = stageLog('init-local', 0).replace(stampAt(3), stampAt(-1)) + stageLog('init-network', 3610, 20);
    const [boot] = parse(log);
    for (const span of boot!.spans) expect(span.endUs).toBeGreaterThanOrEqual(span.startUs);
    expect(boot!.notes.map((note) => note.text).join()).toContain('the clock moved by 3589.0 s or more');
  });
});

describe('recognising', () => {
  it('takes the log and the dump of a recorded boot, and no other file of it', async () => {
    const [group] = await openInputs(`${fixtures}clone-boot.tar.gz`, () => new Uint8Array());
    const taken = group!.inputs.filter((input) => cloudInitLogSource.recognise(input) >= 0.5);
    const dumps = group!.inputs.filter((input) => cloudInitDumpSource.recognise(input) > 0);
    expect(taken.map((input) => input.name.split('/').slice(-2).join('/'))).toEqual(['cloud/cloud-init.log']);
    expect(dumps.map((input) => input.name.split('/').slice(-2).join('/'))).toEqual(['cloud/analyze-dump.json']);
  });

  it.each([
    ['syslog', 'Nov 15 21:08:50 host [CLOUDINIT] '],
    ['Amazon Linux', 'Nov 15 21:08:50 cloud-init[2673]: '],
    ['ISO', '2026-11-15T21:08:50+00:00 host [CLOUDINIT] '],
  ])('takes a log with stamps of %s', (_, prefix) => {
    const line = `${prefix}handlers.py[DEBUG]: start: init-local/a: doing a\n`;
    expect(cloudInitLogSource.recognise(memoryInput('log', line))).toBeGreaterThan(0.9);
  });
});

describe('a dump as evidence', () => {
  it('tells the same spans as the log it was made from', async () => {
    const [group] = await openInputs(`${fixtures}clone-boot.tar.gz`, () => new Uint8Array());
    const member = (suffix: string) => group!.inputs.find((input) => input.name.endsWith(suffix))!;
    const [fromLog] = cloudInitLogSource.parse(member('cloud/cloud-init.log'), context);
    const [fromDump] = cloudInitDumpSource.parse(member('cloud/analyze-dump.json'));
    const plain = (spans: typeof fromDump) =>
      spans!.spans.map(({ id, startUs, endUs, parent }) => ({ id, startUs, endUs, parent }));
    expect(plain(fromDump)).toEqual(plain(fromLog));
  });

  it('reads what is whole of a dump that was cut off, and says so', () => {
    const whole = '{"name":"init-local","event_type":"start","timestamp":1.5,"description":"x"}';
    const [boot] = cloudInitDumpSource.parse(memoryInput('cut.json', `[\n${whole},\n{"name":"in`));
    expect(boot!.spans).toHaveLength(1);
    expect(boot!.notes[0]!.text).toContain('damaged JSON of 3 lines; 1 whole events were read');
  });
});

describe('any bytes at all', () => {
  const sources = fc.constantFrom(cloudInitLogSource, cloudInitDumpSource);

  it('are read without throwing', () => {
    fc.assert(
      fc.property(sources, fc.uint8Array({ maxLength: 400 }), (source, bytes) => {
        const input = memoryInput('any', bytes);
        expect(source.recognise(input)).toBeGreaterThanOrEqual(0);
        expect(Array.isArray(source.parse(input, context))).toBe(true);
      }),
    );
  });

  it('are read without throwing where they are nearly right', () => {
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

  it('of JSON are read without throwing', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(Array.isArray(cloudInitDumpSource.parse(memoryInput('any', json)))).toBe(true);
      }),
    );
  });
});
