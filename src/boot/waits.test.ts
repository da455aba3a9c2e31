import { expect, test } from 'vitest';
import { unit } from './systemd/testing.ts';
import { PRE_PROVISIONED_WAIT, waitReason } from './waits.ts';

test.each([
  ['systemd-networkd-wait-online.service', 'network'],
  ['NetworkManager-wait-online.service', 'network'],
  ['systemd-networkd-wait-online@eth0.service', 'network'],
  ['systemd-time-wait-sync.service', 'clock'],
  ['systemd-udev-settle.service', 'devices'],
  ['cloud-init-hotplugd.service', 'devices'],
  ['dev-disk-by\\x2duuid-07\\x2dab.device', 'device'],
])('%s waits for the %s', (name, what) => {
  expect(waitReason(unit(name, 3, 5))).toMatch(new RegExp(`^${what}: `));
});

test('other units work, and a wait that took no time is none', () => {
  expect(waitReason(unit('docker.service', 3, 9))).toBeUndefined();
  expect(waitReason(unit('systemd-networkd-wait-online.service', 3, 3))).toBeUndefined();
  expect(waitReason(unit('systemd-networkd-wait-online.service', 0, 0))).toBeUndefined();
});

test('edge case 39: sixteen minutes in cloud-init-local are the platform parking a pre-provisioned VM', () => {
  expect(waitReason(unit('cloud-init-local.service', 2.504, 1002.914))).toBe(PRE_PROVISIONED_WAIT);
  expect(waitReason(unit('cloud-init-local.service', 2, 33))).toBeUndefined();
});
