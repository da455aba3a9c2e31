import { expect, test } from 'vitest';
import { unit } from '../compat/systemd/testing.ts';
import type { Span } from './record.ts';
import { PERSON_WAIT, PRE_PROVISIONED_WAIT, waitReason } from './waits.ts';

const NO_LOG: Parameters<typeof waitReason>[1] = { spans: [], units: [], clock: { zero: 'kernel' } };

test.each([
  ['systemd-networkd-wait-online.service', 'network'],
  ['NetworkManager-wait-online.service', 'network'],
  ['systemd-networkd-wait-online@eth0.service', 'network'],
  ['systemd-time-wait-sync.service', 'clock'],
  ['systemd-udev-settle.service', 'devices'],
  ['cloud-init-hotplugd.service', 'devices'],
  ['dev-disk-by\\x2duuid-07\\x2dab.device', 'device'],
])('%s waits for the %s', (name, what) => {
  expect(waitReason(unit(name, 3, 5), NO_LOG)).toMatch(new RegExp(`^${what}: `));
});

test('other units have no wait reason, and neither has a wait that took no time', () => {
  expect(waitReason(unit('docker.service', 3, 9), NO_LOG)).toBeUndefined();
  expect(waitReason(unit('systemd-networkd-wait-online.service', 3, 3), NO_LOG)).toBeUndefined();
  expect(waitReason(unit('systemd-networkd-wait-online.service', 0, 0), NO_LOG)).toBeUndefined();
});

test('edge case 39: sixteen minutes in cloud-init-local are a wait: the platform parked a pre-provisioned VM', () => {
  expect(waitReason(unit('cloud-init-local.service', 2.504, 1002.914), NO_LOG)).toBe(PRE_PROVISIONED_WAIT);
  expect(waitReason(unit('cloud-init-local.service', 2, 33), NO_LOG)).toBeUndefined();
});

test.each([
  ['a slow machine on which Python took minutes to start', 'search-NoCloud', 28, undefined],
  ['a slow machine on which the search took minutes too', 'search-NoCloud', 200, undefined],
  ['Azure, found in seconds', 'search-Azure', 28, undefined],
  ['Azure, parked', 'search-Azure', 900, PRE_PROVISIONED_WAIT],
])("cloud-init's log decides if there is one: %s", (_, search, tookSeconds, reason) => {
  const stage = { source: 'cloud-init', unit: 'cloud-init-local.service', startUs: 100e6 } as const;
  const endUs = 100e6 + tookSeconds * 1e6;
  const spans: Span[] = [
    { ...stage, id: 'a', name: 'init-local', endUs },
    { ...stage, id: 'b', name: `init-local/${search}`, parent: 'a', endUs },
  ];
  expect(waitReason(unit('cloud-init-local.service', 2, 1010), { ...NO_LOG, spans })).toBe(reason);
});

test('an encrypted volume waits for a person only if an agent asked for the passphrase meanwhile', () => {
  const volume = unit('systemd-cryptsetup@root.service', 2, 28);
  const asked = (at: number) => ({ ...NO_LOG, units: [unit('systemd-ask-password-console.service', at, at)] });
  expect(waitReason(volume, asked(2.5))).toBe(PERSON_WAIT);
  expect(waitReason(volume, asked(30))).toBeUndefined();
  expect(waitReason(volume, NO_LOG)).toBeUndefined(); // a key file, or a TPM
});
