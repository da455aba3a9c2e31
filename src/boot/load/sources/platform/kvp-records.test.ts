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

describe('records of a key-value pool', () => {
  test('give the events of cloud-init, and pass over those of other writers', () => {
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

  test('have the id of the VM before their own in newer releases', () => {
    const { events } = read(record('CLOUD_INIT|17|start|init|vm-1|uuid', '{"msg":""}'));
    expect(events[0]).toMatchObject({ vmId: 'vm-1', message: '' });
    expect(read(START).events[0]).not.toHaveProperty('vmId');
  });

  test('are the same in whatever pieces they arrive', () => {
    const pieces = [START.subarray(0, 7), START.subarray(7, 600), START.subarray(600)];
    expect(read(...pieces)).toEqual(read(START));
  });

  test('are put together from slices in the order of their numbers', () => {
    const slice = (i: number, text: string) =>
      record(`CLOUD_INIT|17|log|x|uuid|${i}`, `{"msg_i":${i},"msg":"${text}"}`);
    const { events, notes } = read(slice(1, 'cd'), slice(0, 'ab'));
    expect(events.map(({ message }) => message)).toEqual(['abcd']);
    expect(notes).toEqual([]);
    expect(read(slice(1, 'cd'), slice(0, 'ab\\')).events).toMatchObject([{ message: '' }]);
  });

  test.each([
    ['CLOUD_INIT|soon|start|init|u', '{"msg":""}', 'a key that is not of the known form'],
    ['CLOUD_INIT|17|start', '{"msg":""}', 'a key that is not of the known form'],
    ['CLOUD_INIT|17|start|init|u', '[1]', 'a value that is not JSON'],
    ['CLOUD_INIT|17|start|init|u|1', '{"msg":""}', 'slices of which are missing'],
  ])('with key %s and value %s are told', (key, value, problem) => {
    expect(read(record(key, value)).notes.join()).toContain(problem);
  });

  test('have no duration that is negative or no number', () => {
    const withDuration = (text: string) => read(record('CLOUD_INIT|17|finish|i|u', `{"duration":${text}}`)).events[0];
    for (const text of ['-1', '"2"', '1e999']) expect(withDuration(text)).not.toHaveProperty('durationS');
  });

  test('that are cut short are told', () => {
    expect(read(START, START.subarray(0, 700)).notes).toEqual(['pool: record 2 is cut short (700 of 2560 bytes)']);
  });
});
