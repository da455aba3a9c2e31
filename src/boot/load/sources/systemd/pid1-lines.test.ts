import { expect, test } from 'vitest';
import { parsePid1Line } from './pid1-lines.ts';

test.each([
  ['Starting a.service - A thing...', { unit: 'a.service', what: 'began' }],
  ['Expecting device dev-sda1.device - /dev/sda1...', { unit: 'dev-sda1.device', what: 'began' }],
  ['Finished a@1.service - A thing.', { unit: 'a@1.service', what: 'done' }],
  ['Reached target network.target - Network.', { unit: 'network.target', what: 'done' }],
  ['Created slice system-a\\x2db.slice - Slice.', { unit: 'system-a\\x2db.slice', what: 'done' }],
  ['Failed to start a.service - A thing.', { unit: 'a.service', what: 'failed', result: 'failed' }],
  ['Dependency failed for a.mount - A.', { unit: 'a.mount', what: 'failed', result: 'dependency' }],
  ['Timed out waiting for device d.device - D.', { unit: 'd.device', what: 'failed', result: 'timeout' }],
  ['Job dev-sdb.device/start timed out.', { unit: 'dev-sdb.device', what: 'failed', result: 'timeout' }],
  ['d.device: Job d.device/start timed out.', { unit: 'd.device', what: 'failed', result: 'timeout' }],
  [
    "a.mount: Job a.mount/start failed with result 'dependency'.",
    { unit: 'a.mount', what: 'failed', result: 'dependency' },
  ],
  ['Stopped target a.target - A.', { unit: 'a.target', what: 'stopped' }],
  ['Stopping a.service - A...', { unit: 'a.service', what: 'stopping' }],
  ['a.service - A was skipped because of an unmet condition', { unit: 'a.service', what: 'skipped' }],
  ['Started a.service.', { unit: 'a.service', what: 'done' }],
])('parsePid1Line parses %j', (message, expected) => {
  expect(parsePid1Line(message)).toEqual(expected);
});

test('parsePid1Line takes no failure from a cancelled job or a stop job', () => {
  expect(parsePid1Line("a.mount: Job a.mount/start failed with result 'canceled'.")).toBeUndefined();
  expect(parsePid1Line('Job a.service/stop timed out.')).toBeUndefined();
});

test('parsePid1Line distinguishes a job message without a unit name (before v249) from other lines', () => {
  expect(parsePid1Line('Started OpenBSD Secure Shell server.')).toBe('nameless');
  expect(parsePid1Line('Started a.service and more')).toBe('nameless');
  expect(parsePid1Line('Hostname set to <node-a>.')).toBeUndefined();
});
