// prototype/donor/inspect/inspection.ts: parses the output of the inspection script.
import { Secret } from '../../../base/secret.ts';

/** A name or address of the node in a file. */
export interface Reference {
  area: 'kubelet' | 'systemd' | 'network';
  file: string;
  line: number;
  kind: 'name' | 'ipv4' | 'ipv6' | 'mac';
  /** The key, flag or directive that has it as its value; may be empty. */
  setting: string;
  value: string;
}

/** A client credential in one of kubelet's kubeconfigs. */
export type DonorCredential = { role: 'kubeconfig' | 'bootstrap-kubeconfig'; file: string } & (
  | { kind: 'certificate'; der: Buffer }
  /** The id of a bootstrap token, or the expiry of a signed token; neither for an opaque token. */
  | { kind: 'token'; tokenId?: string; expiresMs?: number }
  | { kind: 'exec'; command: string }
  /** It refers to a file that does not exist. */
  | { kind: 'missing'; path: string }
  | { kind: 'nothing' }
);

export interface DiskUsage {
  folder: string;
  totalKb: number;
  usedKb: number;
  freeKb: number;
}

/** What the node itself knows about its patches, by its own clock. Absent facts are unknown. */
export interface PatchFacts {
  nowMs?: number;
  bootedMs?: number;
  /** When a package was last installed, upgraded or removed. */
  changedMs?: number;
  /** Releases of the kernels on its disk. */
  kernels: string[];
  updates?: PendingUpdates;
}

/** From the package lists on its disk, which the node may not have refreshed for long. */
export type PendingUpdates =
  | { manager: string; isKnown: true; count: number; security?: number; listsMs?: number }
  | { manager: string; isKnown: false; because: string };

export interface Inspection {
  /** All lines arrived. In an incomplete inspection a missing fact proves nothing. */
  isComplete: boolean;
  os: { id: string; version: string; name: string };
  kernel: string;
  /** From the firmware, in lower case. */
  vmId: string;
  hostname: string;
  rebootRequired?: { file: string; packages: string[] };
  disks: DiskUsage[];
  patches: PatchFacts;
  /** without-network: present, but configured not to manage the network. */
  cloudInit: 'enabled' | 'disabled' | 'without-network' | 'absent';
  addresses: string[];
  references: Reference[];
  credentials: DonorCredential[];
  /** Enabled units that configure a node from its instance metadata. */
  joinUnits: string[];
  /** The custom data and the file that contains it. */
  customData?: { file: string; base64: Secret };
  /** What the guest agent keeps of the extensions on this machine; read only together with custom data. */
  extensionSettings: ExtensionSettings[];
}

/** The protected settings of an extension. `none`: it has none. `unreadable`: it has some, but they could not be decrypted. */
export interface ExtensionSettings {
  /** Publisher and type, joined by a dot. */
  handler: string;
  /** The version of the handler: after an update, settings of the old one may remain. */
  version: string;
  /** Only where a handler can be installed several times. */
  name?: string;
  file: string;
  protected: 'none' | 'unreadable' | { json: Secret };
}

/** Never throws: any text gives an inspection, at worst an empty and incomplete one. Unknown lines are ignored. */
export function parseInspection(stdout: string): Inspection {
  const seen: Inspection = {
    isComplete: false,
    os: { id: '', version: '', name: '' },
    kernel: '',
    vmId: '',
    hostname: '',
    disks: [],
    patches: { kernels: [] },
    cloudInit: 'absent',
    addresses: [],
    references: [],
    credentials: [],
    joinUnits: [],
    extensionSettings: [],
  };
  const lines = stdout.split('\n');
  const start = lines.indexOf(FIRST_LINE); // a login script may have printed something first
  if (start < 0) return seen;
  const end = lines.indexOf('end', start);
  for (const line of lines.slice(start + 1, end < 0 ? undefined : end)) read(seen, line.split('\t'));
  seen.isComplete = end >= 0;
  return seen;
}

const FIRST_LINE = 'headstart-inspect\t1';

function read(seen: Inspection, [kind, ...fields]: string[]): void {
  const [first = '', second = '', third = '', fourth = ''] = fields;
  switch (kind) {
    case 'os':
      if (first === 'ID') seen.os.id = second;
      if (first === 'VERSION_ID') seen.os.version = second;
      if (first === 'PRETTY_NAME') seen.os.name = second;
      return;
    case 'kernel':
      seen.kernel = first;
      return;
    case 'vm-id':
      seen.vmId = first.toLowerCase();
      return;
    case 'hostname':
      seen.hostname = first.toLowerCase();
      return;
    case 'reboot-required':
      seen.rebootRequired = { file: first, packages: second.split(',').filter(Boolean) };
      return;
    case 'disk': {
      const [totalKb, usedKb, freeKb] = [second, third, fourth].map(Number);
      if ([totalKb, usedKb, freeKb].every(Number.isSafeInteger)) {
        seen.disks.push({ folder: first, totalKb: totalKb!, usedKb: usedKb!, freeKb: freeKb! });
      }
      return;
    }
    case 'now':
      Object.assign(seen.patches, timeOf('nowMs', first));
      return;
    case 'booted':
      Object.assign(seen.patches, timeOf('bootedMs', first));
      return;
    case 'packages-changed':
      Object.assign(seen.patches, timeOf('changedMs', first));
      return;
    case 'installed-kernel':
      if (first) seen.patches.kernels.push(first);
      return;
    case 'updates':
      seen.patches.updates = updatesOf(fields);
      return;
    case 'cloud-init':
      if (first === 'enabled' || first === 'disabled' || first === 'without-network') seen.cloudInit = first;
      return;
    case 'address':
      seen.addresses.push(first);
      return;
    case 'reference': {
      const reference = referenceOf(fields);
      if (reference) seen.references.push(reference);
      return;
    }
    case 'credential': {
      const credential = credentialOf(fields);
      if (credential) seen.credentials.push(credential);
      return;
    }
    case 'joins-by-unit':
      seen.joinUnits.push(first);
      return;
    case 'custom-data':
      seen.customData = { file: first, base64: new Secret(second) };
      return;
    case 'protected-settings': {
      const settings = extensionSettingsOf(fields);
      if (settings) seen.extensionSettings.push(settings);
    }
  }
}

function timeOf<K extends string>(key: K, seconds: string): Partial<Record<K, number>> {
  return /^\d{1,12}$/.test(seconds) ? ({ [key]: Number(seconds) * 1000 } as Record<K, number>) : {};
}

function updatesOf([manager = '', state, count = '', security = '', lists = '']: string[]): PendingUpdates {
  if (state !== 'known') return { manager, isKnown: false, because: count };
  if (!/^\d{1,6}$/.test(count)) return { manager, isKnown: false, because: `${manager} gave no number` };
  return {
    manager,
    isKnown: true,
    count: Number(count),
    ...(/^\d{1,6}$/.test(security) && { security: Number(security) }),
    ...timeOf('listsMs', lists),
  };
}

function extensionSettingsOf([folder = '', name = '', file = '', state, base64 = '']: string[]):
  | ExtensionSettings
  | undefined {
  const [, handler, version] = /^(.+)-(\d+(?:\.\d+)*)$/.exec(folder) ?? [];
  if (handler === undefined || version === undefined) return undefined;
  const from = { handler, version, file, ...(name !== '' && { name }) };
  if (state === 'none' || state === 'unreadable') return { ...from, protected: state };
  const json = Buffer.from(base64, 'base64').toString();
  return state === 'opened' ? { ...from, protected: { json: new Secret(json) } } : undefined;
}

function referenceOf([area, file, line, kind, setting, value]: string[]): Reference | undefined {
  if (area !== 'kubelet' && area !== 'systemd' && area !== 'network') return undefined;
  if (kind !== 'name' && kind !== 'ipv4' && kind !== 'ipv6' && kind !== 'mac') return undefined;
  if (!file || !/^\d{1,9}$/.test(line ?? '') || !value) return undefined;
  return { area, file, line: Number(line), kind, setting: setting ?? '', value };
}

function credentialOf([role, file, kind, detail = '']: string[]): DonorCredential | undefined {
  if ((role !== 'kubeconfig' && role !== 'bootstrap-kubeconfig') || !file) return undefined;
  const from = { role, file } as const;
  switch (kind) {
    case 'certificate':
      return { ...from, kind, der: Buffer.from(detail, 'base64') };
    case 'token': {
      const tokenId = /^id=([a-z0-9]{6})$/.exec(detail)?.[1];
      const expires = /^expires=(\d{1,12})$/.exec(detail)?.[1];
      return {
        ...from,
        kind,
        ...(tokenId !== undefined && { tokenId }),
        ...(expires !== undefined && { expiresMs: Number(expires) * 1000 }),
      };
    }
    case 'exec':
      return { ...from, kind, command: detail };
    case 'missing':
      return { ...from, kind, path: detail };
    case 'nothing':
      return { ...from, kind };
  }
  return undefined;
}
