// boot/model/waits.ts: was the start of a unit work, or did the node wait for something outside it?
import { spansSwitchRoot } from './causes/initrd.ts';
import { type BootRecord, startTookUs, type Unit } from './record.ts';

export const PRE_PROVISIONED_WAIT = 'platform: pre-provisioned VM parked until it is claimed';

/** Finding a datasource takes seconds. Minutes mean that the platform keeps a pre-provisioned VM and lets cloud-init poll. */
const PARKED_US = 120e6;

const WAITERS: readonly (readonly [name: RegExp, reason: string])[] = [
  [/wait-online/, 'network: until it is online'],
  [/^(systemd-time-wait-sync|chrony-wait|ntp-wait)\.service$/, 'clock: until it is synchronised'],
  [/^(systemd-udev-settle|dracut-initqueue)\.service$/, 'devices: until they have appeared'],
  [/^cloud-init-hotplug/, 'devices: until one is plugged in'],
  [/^plymouth-quit-wait\.service$/, 'console: until the boot splash ends'],
  [/^systemd-ask-password-/, 'person: until a password is typed'],
  [/\.device$/, 'device: until it appears'],
];

export const PERSON_WAIT = 'person: until a passphrase is typed';

type WaitRecord = Pick<BootRecord, 'spans' | 'units' | 'clock' | 'manager'>;

/** Undefined if the unit worked or took no time. */
export function waitReason(unit: Unit, record: WaitRecord): string | undefined {
  const tookUs = startTookUs(unit);
  if (unit.activatingUs <= 0 && unit.activatedUs <= 0) return undefined;
  if (tookUs <= 0) return undefined;
  if (unit.name === 'cloud-init-local.service') return isParked(tookUs, record) ? PRE_PROVISIONED_WAIT : undefined;
  if (unit.name.startsWith('systemd-cryptsetup@')) return isAsked(unit, record) ? PERSON_WAIT : undefined;
  if (spansSwitchRoot(unit, record)) return undefined;
  return WAITERS.find(([name]) => name.test(unit.name))?.[1];
}

/** systemd starts an agent that asks on the console, the splash screen or all terminals while the volume needs a passphrase. */
function isAsked(volume: Unit, { units }: Pick<BootRecord, 'units'>): boolean {
  const endUs = volume.activatingUs + startTookUs(volume);
  return units.some(
    ({ name, activatingUs }) =>
      /^systemd-ask-password-(?:console|plymouth|wall)\.service$/.test(name) &&
      activatingUs >= volume.activatingUs &&
      activatingUs < endUs,
  );
}

/** cloud-init's log is more reliable than the duration: on a slow machine Python alone takes minutes. Only Azure parks VMs. */
function isParked(tookUs: number, { spans }: Pick<BootRecord, 'spans'>): boolean {
  const log = spans.filter((span) => span.source === 'cloud-init');
  const stage = log.find((span) => span.name === 'init-local');
  if (!stage) return tookUs > PARKED_US;
  return stage.endUs - stage.startUs > PARKED_US && log.some((span) => /azure/i.test(span.name));
}
