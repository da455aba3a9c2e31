// node/metadata/custom-data.ts: how is the document in an Azure instance's custom data read? From the provisioning disk, or from the file
// in which an agent saved it. It is set once, when the instance is created.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunCommand } from '../../base/command.ts';
import { readPlainFile } from '../observe/plain-file.ts';
import { readOvfEnvironment } from './ovf-environment.ts';
import { MetadataFailure, type MetadataSource } from './source.ts';

export interface CustomDataOptions {
  root: string;
  run: RunCommand;
}

const OVF_ENVIRONMENT = 'ovf-env.xml';
/** Copies that the Azure agent and cloud-init save, the most exact first. */
const AGENT_COPIES = [
  'var/lib/waagent/ovf-env.xml',
  'var/lib/waagent/CustomData',
  'var/lib/cloud/instance/user-data.txt',
] as const;
const MOUNT_POINT = 'run/headstart/provisioning';
const MAX_BYTES = 512 << 10;

export function customDataSource({ root, run }: CustomDataOptions): MetadataSource {
  return {
    name: 'Azure custom data',
    isFixed: true,
    async fetch({ signal, timeoutMs }) {
      const onDisk = await readProvisioningDisk(root, (argv) => run(argv, { signal, timeoutMs }));
      signal?.throwIfAborted();
      return { document: onDisk ?? readAgentCopy(root), instance: { platform: 'azure', addresses: [], tags: {} } };
    },
  };
}

type Run = (argv: readonly [string, ...string[]]) => ReturnType<RunCommand>;

/** Undefined if no disk has it. Checks optical drives first, then read-only disks. */
async function readProvisioningDisk(root: string, run: Run): Promise<Uint8Array | undefined> {
  for (const device of candidateDevices(root)) {
    const text = await readFromDisk(root, device, run);
    if (text !== undefined) return customDataOf(text);
  }
  return undefined;
}

function candidateDevices(root: string): string[] {
  const folder = join(root, 'sys/block');
  const names = listOf(folder).filter((name) => /^(?:sr|vd|sd|xvd)[a-z0-9]{1,3}$/.test(name));
  const optical = names.filter((name) => name.startsWith('sr')).sort();
  const readOnly = names.filter((name) => !name.startsWith('sr') && isReadOnly(join(folder, name, 'ro'))).sort();
  return [...optical, ...readOnly];
}

/** Mounts the disk read-only and noexec for this one read. */
async function readFromDisk(root: string, device: string, run: Run): Promise<string | undefined> {
  const at = join(root, MOUNT_POINT);
  mkdirSync(at, { recursive: true, mode: 0o700 });
  const options = ['-o', 'ro,nosuid,nodev,noexec', '-t', 'udf,iso9660,vfat'];
  const mounted = await run(['mount', ...options, join(root, 'dev', device), at]);
  if (mounted.code !== 0) return undefined; // no medium, or another file system: not the provisioning disk
  try {
    const bytes = read(join(at, OVF_ENVIRONMENT));
    return bytes && Buffer.from(bytes).toString('utf8');
  } finally {
    await run(['umount', at]);
  }
}

function readAgentCopy(root: string): Uint8Array | undefined {
  for (const path of AGENT_COPIES) {
    const bytes = read(join(root, path));
    if (bytes === undefined || bytes.length === 0) continue;
    return path.endsWith(OVF_ENVIRONMENT) ? customDataOf(Buffer.from(bytes).toString('utf8')) : bytes;
  }
  return undefined;
}

function read(path: string): Uint8Array | undefined {
  try {
    return readPlainFile(path, MAX_BYTES);
  } catch (error) {
    throw new MetadataFailure('metadata/bad-answer', (error as Error).message, { isFinal: true, cause: error });
  }
}

function customDataOf(text: string): Uint8Array | undefined {
  const environment = readOvfEnvironment(text);
  if ('problem' in environment)
    throw new MetadataFailure('metadata/bad-answer', environment.problem, { isFinal: true });
  return environment.customData;
}

function listOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not Linux, or no block devices
  }
}

function isReadOnly(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').trim() === '1';
  } catch {
    return false; // the device was just removed
  }
}
