// vms/qemu/machine/addresses.ts: which address does a new instance get in the guest network, and which are reserved? Pure.

/** Contains both 168.63.129.16 and 169.254.169.254, the addresses of Azure's wire server and metadata service. */
export const guestNetwork = '168.0.0.0/7';
export const gateway = '168.0.0.2';
export const nameServer = '168.0.0.3';
export const metadataAddress = '169.254.169.254';
export const wireServerAddress = '168.63.129.16';

const FIRST = toNumber('168.1.0.4');
/** slirp's DHCP server has a range of sixteen addresses, so each instance gets a range that no other instance uses. */
const STEP = 16;
const COUNT = 100_000;

export interface GuestAddress {
  ip: string;
  mac: string;
}

/** Undefined when every address is in use. */
export function freeAddress(taken: Iterable<string>): GuestAddress | undefined {
  const used = new Set(taken);
  for (let index = 0; index < COUNT; index++) {
    const ip = toText(FIRST + index * STEP);
    if (!used.has(ip)) return { ip, mac: macOf(index) };
  }
  return undefined;
}

/** Services use the range below the instances, except the addresses that slirp itself uses. */
export function isServiceAddress(ip: string): boolean {
  return /^168\.0\.\d+\.\d+$/.test(ip) && ![gateway, nameServer, '168.0.0.0', '168.0.0.1'].includes(ip);
}

function macOf(index: number): string {
  const hex = (index + 1).toString(16).padStart(6, '0');
  return `52:54:00:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}`;
}

function toNumber(ip: string): number {
  return ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

function toText(value: number): string {
  return [24, 16, 8, 0].map((bits) => (value >>> bits) & 255).join('.');
}
