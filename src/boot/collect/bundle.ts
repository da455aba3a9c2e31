// boot/collect/bundle.ts: packs collected files, without secrets, into one archive that every boot verb reads with -i.
import { createHash } from 'node:crypto';
import { BOOT_API_VERSION } from '../model/record.ts';
import type { BundleMember, CollectResult } from './collect-result.ts';
import { redact } from './redact.ts';

/** collect.json in the bundle, and the output of `boot collect --json`. */
export interface BootCollection {
  apiVersion: typeof BOOT_API_VERSION;
  kind: 'BootCollection';
  hostname: string;
  boot: string;
  collectedAt: string;
  taken: { name: string; bytes: number; note?: string }[];
  missed: { name: string; why: string }[];
}

export interface BootBundle {
  collection: BootCollection;
  bytes: Uint8Array;
}

/** Deterministic: the same collected files give the same bytes. */
export async function bundleOf(
  collected: CollectResult,
  { boot, nowUs }: { boot: string; nowUs: number },
): Promise<BootBundle> {
  const members = collected.members.map(withoutSecrets);
  const collection: BootCollection = {
    apiVersion: BOOT_API_VERSION,
    kind: 'BootCollection',
    hostname: collected.hostname,
    boot,
    collectedAt: new Date(nowUs / 1000).toISOString(),
    taken: members.map(({ name, bytes, note }) => ({ name, bytes: bytes.length, ...(note !== undefined && { note }) })),
    missed: collected.missed,
  };
  const { createTarGzip } = await import('nanotar');
  const files = [
    { name: 'collect.json', data: Buffer.from(`${JSON.stringify(collection, null, 2)}\n`) },
    ...members.map(({ name, bytes }) => ({ name: archiveName(name), data: bytes })),
  ];
  const attrs = { mode: '600', uid: 0, gid: 0, mtime: Math.floor(nowUs / 1000) };
  return { collection, bytes: await createTarGzip(files, { attrs }) };
}

/** `boot-node-a-20261115-210958.tar.gz`, in UTC. */
export function bundleName(hostname: string, nowUs: number): string {
  const stamp = new Date(nowUs / 1000).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  const host = hostname
    .replace(/[^A-Za-z0-9._-]/g, '_')
    .replace(/^[.-]+/, '')
    .slice(0, 64);
  return `boot-${host || 'machine'}-${stamp}.tar.gz`;
}

export function withoutSecrets(member: BundleMember): BundleMember {
  return { ...member, bytes: redact(member.bytes, member.name.endsWith('.kvp_pool_1') ? 'kvp' : 'text') };
}

const MAX_NAME_BYTES = 99;

/** The archive format allows 99 bytes. Drops the middle of a longer path, because its end is more specific. */
function archiveName(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const short = createHash('sha256').update(name).digest('hex').slice(0, 8);
  const ascii = name.replace(/[^ -~]/g, '_');
  return `${ascii.slice(0, 40)}~${short}~${ascii.slice(-48)}`.replaceAll('~/', '~').replaceAll('/~', '~');
}
