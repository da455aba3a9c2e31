import { describe, expect, test } from 'vitest';
import { Problems } from '../problems.ts';
import { kvpEvents, RECORD_BYTES } from './kvp-records.ts';

function record(key: string, value: string): Buffer {
  const bytes = Buffer.alloc(RECORD_BYTES);
  bytes.write(key, 0);
  bytes.write(value, 512);
  return bytes;
}

function read(...chunks: Uint8Array[]) {
  const problems = new Problems();
  const events = kvpEvents(chunks, problems);
  return { events, notes: problems.notes('pool', 'record').map(({ text }) => text) };
}

const START = record(
  'CLOUD_INIT|17|start|init|uuid',
  '{"ts":"2026-11-15T21:08:49Z","msg":"a","result":"SUCCESS","duration":2.5}',
);

describe('kvpEvents', () => {
  test('gives the events of cloud-init, and skips records of other writers', () => {
    expect(read(record('OSName', 'linux'), START).events).toEqual([
      {
        incarnation: 17,
        type: 'start',
        name: 'init',
        message: 'a',
        place: 2,
        stamp: '2026-11-15T21:08:49Z',
        result: 'SUCCESS',
        durationS: 2.5,
      },
    ]);
  });

  test('reads the VM id that newer releases write', () => {
    const { events } = read(record('CLOUD_INIT|17|start|init|vm-1|uuid', '{"msg":""}'));
    expect(events[0]).toMatchObject({ vmId: 'vm-1', message: '' });
    expect(read(START).events[0]).not.toHaveProperty('vmId');
  });

  test('gives the same events for any chunks', () => {
    const pieces = [START.subarray(0, 7), START.subarray(7, 600), START.subarray(600)];
    expect(read(...pieces)).toEqual(read(START));
  });

  test('joins slices in the order of their numbers', () => {
    const slice = (i: number, text: string) =>
      record(`CLOUD_INIT|17|log|x|uuid|${i}`, `{"msg_i":${i},"msg":"${text}"}`);
    const { events, notes } = read(slice(1, 'cd'), slice(0, 'ab'));
    expect(events.map(({ message }) => message)).toEqual(['abcd']);
    expect(notes).toEqual([]);
    expect(read(slice(1, 'cd'), slice(0, 'ab\\')).events).toMatchObject([{ message: '' }]);
  });

  test.each([
    ['CLOUD_INIT|soon|start|init|u', '{"msg":""}', 'a key of an unknown format'],
    ['CLOUD_INIT|17|start', '{"msg":""}', 'a key of an unknown format'],
    ['CLOUD_INIT|17|start|init|u', '[1]', 'a value that is not JSON'],
    ['CLOUD_INIT|17|start|init|u|1', '{"msg":""}', 'with missing slices'],
  ])('warns about key %s with value %s', (key, value, problem) => {
    expect(read(record(key, value)).notes.join()).toContain(problem);
  });

  test('ignores a duration that is negative or not a number', () => {
    const withDuration = (text: string) => read(record('CLOUD_INIT|17|finish|i|u', `{"duration":${text}}`)).events[0];
    for (const text of ['-1', '"2"', '1e999']) expect(withDuration(text)).not.toHaveProperty('durationS');
  });

  test('warns about a truncated record', () => {
    expect(read(START, START.subarray(0, 700)).notes).toEqual(['pool: record 2 is truncated (700 of 2560 bytes)']);
  });
});
