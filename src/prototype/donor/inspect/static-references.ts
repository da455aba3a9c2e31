// prototype/donor/inspect/static-references.ts: which names and addresses in files of a donor would be wrong on a clone?
import type { Inspection, Reference } from './inspection.ts';

/** A clone works only if the node derives its name and addresses when it starts; no file on its disk may fix them. */
export function staticReferences(inspection: Inspection): Reference[] {
  const own = new Set(inspection.addresses.map(plainAddress).filter((address) => !isEverywhere(address)));
  const isConfigured = inspection.joinUnits.includes(NODE_UNIT);
  return inspection.references
    .filter(({ file }) => !(isConfigured && file === KUBELET_FLAGS))
    .filter((reference) => isStatic(reference, own, inspection.cloudInit));
}

/** The unit of `headstart node`, which writes the flags again on each machine before kubelet starts. */
const NODE_UNIT = 'headstart-node.service';
const KUBELET_FLAGS = '/etc/default/kubelet';

/** `/etc/default/kubelet:3: node-ip is 10.240.0.4` */
export function describeReference({ file, line, setting, value }: Reference): string {
  return `${file}:${line}: ${setting === '' ? value : `${setting} is ${value}`}`;
}

/** Settings that give an interface its address, in the words of netplan, networkd, ifupdown, ifcfg files and NetworkManager. */
const GIVES_ADDRESS = /^(addresses|address\d*|ipaddr\d*|ipv6addr|ip_address)$/i;

function isStatic(reference: Reference, own: ReadonlySet<string>, cloudInit: Inspection['cloudInit']): boolean {
  const { area, kind, file, setting, value } = reference;
  if (kind === 'name') return true;
  // cloud-init writes the interface's MAC address, and rewrites the file on a new machine.
  const isRewritten = cloudInit === 'enabled' && /cloud-init/.test(file);
  if (kind === 'mac') return area === 'network' && !isRewritten;
  const address = plainAddress(value);
  if (isEverywhere(address)) return false;
  // Name servers, time servers and the cluster's own address are the same on every node; an address of this node is not.
  if (own.has(address)) return !isRewritten;
  if (area !== 'network' || isRewritten || !GIVES_ADDRESS.test(setting)) return false;
  // netplan has `addresses` for name servers too, but only an interface's address has a prefix length.
  return setting.toLowerCase() !== 'addresses' || value.includes('/');
}

/** Without prefix length, and IPv6 with all groups, so that equal addresses have equal text. */
function plainAddress(text: string): string {
  const address = text.split('/')[0]!.toLowerCase();
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const left = head.split(':').filter(Boolean);
  const right = (tail ?? '').split(':').filter(Boolean);
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array<string>(zeros).fill('0'), ...right].map((group) => group.replace(/^0+(?=.)/, '')).join(':');
}

/** Loopback, link-local and "any": every machine has them. */
function isEverywhere(address: string): boolean {
  return /^(127\.|0\.0\.0\.0$|169\.254\.|fe[89ab][0-9a-f]:|0:0:0:0:0:0:0:[01]$)/.test(address);
}
