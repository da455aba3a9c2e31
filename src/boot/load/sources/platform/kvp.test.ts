import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryInput } from '../../input.ts';
import { sourceSuite } from '../source.suite.ts';
import { kvpSource } from './kvp.ts';

const pool = readFileSync(new URL('../../../fixtures/azure/kvp-pool.bin', import.meta.url));
const parse = (bytes: Uint8Array) => kvpSource.parse(memoryInput('pool', bytes));
const at = (text: string) => Date.parse(text) * 1000;

function record(key: string, value: string | Uint8Array): Buffer {
  const bytes = Buffer.alloc(2560);
  bytes.write(key, 0);
  bytes.set(typeof value === 'string' ? Buffer.from(value) : value, 512);
  return bytes;
}

describe('a pool recorded from cloud-init', () => {
  const [old, boot, ...more] = parse(pool);

  test('is recognised and gives two boots, the stale one first', () => {
    expect(kvpSource.recognise(memoryInput('x', pool))).toBeGreaterThan(0.9);
    expect(more).toEqual([]);
    expect(old?.spans.map((span) => span.id)).toEqual(['cloud-init:init-local']);
    expect(boot?.notes.map((note) => note.text)).toContain('pool: the pool still holds records of 1 earlier boot');
  });

  test('anchors kernel start to the wall clock by its telemetry, else to the second by the incarnation', () => {
    expect(old?.anchors).toEqual([{ monotonicUs: 0, wallUs: 1_794_770_000e6, errorUs: 1e6 }]);
    expect(boot?.anchors).toEqual([{ monotonicUs: 0, wallUs: at('2026-11-15T21:07:58Z') + 752_300, errorUs: 10_000 }]);
  });

  test('gives spans with parents and results, and milestones', () => {
    expect(
      boot?.spans.map(({ id, parent, result, startUs, endUs }) => [id, parent, result, (endUs - startUs) / 1e6]),
    ).toEqual([
      ['cloud-init:init-local', undefined, 'ok', 3.368],
      ['cloud-init:init-local/search-Azure', 'cloud-init:init-local', 'ok', 1.5],
      ['cloud-init:azure-ds/_report_ready', undefined, 'ok', 0.5],
      ['cloud-init:modules-final', undefined, 'warn', 17.1],
    ]);
    expect(boot?.milestones.map((milestone) => milestone.name)).toEqual([
      'kernel-start',
      'userspace',
      'cloud-init-activated',
      'cloud-init-started',
      'cloud-init-finished',
    ]);
  });

  test('copies no diagnostics, and notes the compressed log', () => {
    expect(JSON.stringify(boot)).not.toContain('secret-token');
    expect(boot?.notes.map((note) => note.text).join()).toContain('compressed copy of dmesg (14000 bytes)');
    expect(boot?.notes.every((note) => note.level === 'info')).toBe(true);
  });
});

describe('edge case 48', () => {
  const key = (type: string, more = '') => `CLOUD_INIT|1794776878|${type}|init-local|vm-1|uuid-${type}${more}`;
  const start = record(key('start'), '{"name":"init-local","type":"start","ts":"2026-11-15T21:08:49Z","msg":""}');
  const finish = record(
    key('finish'),
    '{"name":"init-local","type":"finish","ts":"2026-11-15T21:08:53Z","result":"SUCCESS","msg":""}',
  );

  test('edge case 48: warns about a truncated last record and reads the others', () => {
    const [boot] = parse(Buffer.concat([start, finish, start.subarray(0, 700)]));
    expect(boot?.spans).toHaveLength(1);
    expect(boot?.host).toEqual({ cloud: 'azure', vmId: 'vm-1' });
    expect(boot?.notes.map((note) => note.text)).toEqual(['pool: record 3 is truncated (700 of 2560 bytes)']);
  });

  test('edge case 48: joins slices, even when a slice ends inside an escape', () => {
    const telemetry = 'kernel_start=2026-11-15T21:07:58Z \\" user_start=2026-11-15T21:08:09Z';
    const whole = JSON.stringify(telemetry).slice(1, -1);
    const cut = whole.indexOf('\\\\') + 1;
    const slice = (i: number, text: string) =>
      record(
        `CLOUD_INIT|1794776878|boot-telemetry|b|uuid|${i}`,
        `{"name":"b","type":"boot-telemetry","ts":"2026-11-15T21:08:49Z","msg_i":${i},"msg":"${text}"}`,
      );
    const [boot] = parse(Buffer.concat([slice(1, whole.slice(cut)), slice(0, whole.slice(0, cut))]));
    expect(boot?.milestones.map((milestone) => milestone.name)).toEqual(['kernel-start', 'userspace']);
    expect(boot?.notes).toEqual([]);
  });

  test('edge case 48: warns about a missing slice', () => {
    const late = record(
      key('diagnostic', '|1'),
      '{"name":"x","type":"diagnostic","ts":"2026-11-15T21:08:49Z","msg_i":1,"msg":"b"}',
    );
    expect(parse(Buffer.concat([start, finish, late]))[0]?.notes[0]?.text).toContain(
      'record 3 belongs to an event with missing slices',
    );
  });

  test('edge case 48: warns about invalid UTF-8 and reads the other records', () => {
    const bad = record(key('system-info'), Uint8Array.from([0x7b, 0xff, 0xfe, 0x7d]));
    const [boot] = parse(Buffer.concat([start, bad, finish]));
    expect(boot?.spans).toHaveLength(1);
    expect(boot?.notes.map((note) => note.text)).toEqual([
      'pool: record 2 is not valid UTF-8',
      'pool: record 2 has a value that is not JSON',
    ]);
  });

  test('edge case 48: stages whose incarnations differ by a second belong to one boot', () => {
    const other = record('CLOUD_INIT|1794776879|finish|init-local|u', '{"ts":"2026-11-15T21:08:53Z","msg":""}');
    const boots = parse(Buffer.concat([start, other]));
    expect(boots).toHaveLength(1);
    expect(boots[0]?.spans).toHaveLength(1);
  });
});

test('prefers a duration from the monotonic clock over the stamps', () => {
  const [boot] = parse(
    record(
      'CLOUD_INIT|1794776878|finish|init-local|u',
      '{"ts":"2026-11-15T21:08:53Z","result":"FAIL","duration":2.5,"msg":""}',
    ),
  );
  expect(boot?.spans[0]).toMatchObject({
    startUs: at('2026-11-15T21:08:50.5Z'),
    endUs: at('2026-11-15T21:08:53Z'),
    result: 'fail',
  });
});

test('warns about a compressed record that cannot be unpacked', () => {
  const bomb = record(
    'CLOUD_INIT|1794776878|compressed|dmesg|u',
    '{"ts":"2026-11-15T21:08:53Z","msg":"{\\"data\\":\\"bm90IHpsaWI=\\"}"}',
  );
  expect(parse(bomb)[0]?.notes[0]?.text).toContain('cannot be unpacked');
});

test('reads the records before the cut, wherever the pool is truncated', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: pool.length }), (cut) => {
      const spans = parse(pool.subarray(0, cut)).flatMap((boot) => boot.spans);
      expect(spans.length).toBeGreaterThanOrEqual(cut >= 2 * 2560 ? 1 : 0);
      if (cut >= 17 * 2560) expect(spans.map((span) => span.name)).toContain('azure-ds/_report_ready');
    }),
  );
});

sourceSuite(kvpSource, pool);
