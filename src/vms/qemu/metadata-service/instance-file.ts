// vms/qemu/metadata-service/instance-file.ts: what does the metadata service read about an instance? The schema of `<instance>/metadata.json`.
import { z } from 'zod';
import { UserError } from '../../../base/errors.ts';

/** The provider replaces the file atomically (mode 0600: userData may hold a secret); every request reads it again. */
export interface InstanceMetadata {
  /** The SMBIOS system UUID, lower case. */
  vmId: string;
  /** The host name. */
  name: string;
  /** The provider's id of the instance. */
  instanceId: string;
  pool: string;
  location: string;
  vmSize: string;
  zone?: string;
  subscriptionId: string;
  resourceGroupName: string;
  /** base64, as clients of Azure's API send it. */
  userData?: string;
  adminUsername: string;
  /** Lines of authorized_keys. */
  publicKeys: string[];
  tags: Readonly<Record<string, string>>;
  /** Whether it waits in a standby pool; absent: it never was in one, and the field is not served. */
  isVmInStandbyPool?: boolean;
  /** How the platform pre-provisioned it. Default: not at all. */
  ppsType?: 'None' | 'PreprovisionedOSDisk' | 'Running' | 'Savable' | 'Unknown';
  image: { id: string } | { publisher: string; offer: string; sku: string; version: string };
  privateIpAddress: string;
  /** `52:54:00:12:34:56`. */
  macAddress: string;
  osDiskGb: number;
}

/** Reports all problems at once, each with its path. */
export function parseInstanceFile(text: string, source: string): InstanceMetadata {
  return checkInstance(parseJson(text, source), source);
}

export function checkInstance(input: unknown, source: string): InstanceMetadata {
  const { success, data, error } = schema.safeParse(input);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => `  ${path.join('.') || '(top level)'}: ${message}`);
  throw new UserError(`${source} is not valid instance metadata:\n${problems.join('\n')}`, {
    code: 'sim/bad-instance',
    next: 'see "Instances" in docs/metadata-simulator.md',
  });
}

const text = z.string().min(1);

const schema = z.strictObject({
  vmId: z.guid().refine((id) => id === id.toLowerCase(), 'must be lower case'),
  name: z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i, 'is not a host name'),
  instanceId: text,
  pool: text,
  location: text,
  vmSize: text,
  zone: text.exactOptional(),
  subscriptionId: text,
  resourceGroupName: text,
  userData: z.base64().exactOptional(),
  adminUsername: z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'is not a user name'),
  publicKeys: z.array(z.string().regex(/^\S+ \S+[^\n\r]*$/, 'is not a line of authorized_keys')),
  tags: z.record(z.string(), z.string()),
  isVmInStandbyPool: z.boolean().exactOptional(),
  ppsType: z.enum(['None', 'PreprovisionedOSDisk', 'Running', 'Savable', 'Unknown']).exactOptional(),
  image: z.union([
    z.strictObject({ id: text }),
    z.strictObject({ publisher: text, offer: text, sku: text, version: text }),
  ]),
  privateIpAddress: z.ipv4(),
  macAddress: z.string().regex(/^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i, 'is not a MAC address'),
  osDiskGb: z.int().min(1),
}) satisfies z.ZodType<InstanceMetadata>;

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UserError(`${source} is not JSON: ${(cause as Error).message}`, { code: 'sim/bad-instance', cause });
  }
}
