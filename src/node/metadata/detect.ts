// node/metadata/detect.ts: on which platform does this node run? The firmware tables tell, before the network is up.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const PLATFORMS = ['azure', 'ec2'] as const;
export type MetadataPlatform = (typeof PLATFORMS)[number];

/** The same on every Azure VM, and only there. */
const AZURE_ASSET_TAG = '7783-7084-3265-9085-8269-3286-77';

/** Undefined: neither; the document must come from a file. */
export function detectPlatform(root: string): MetadataPlatform | undefined {
  if (dmi(root, 'chassis_asset_tag') === AZURE_ASSET_TAG) return 'azure';
  return dmi(root, 'sys_vendor') === 'Amazon EC2' ? 'ec2' : undefined;
}

function dmi(root: string, name: string): string {
  try {
    return readFileSync(join(root, 'sys/class/dmi/id', name), 'utf8').trim();
  } catch {
    return ''; // no firmware tables, or no permission to read them
  }
}
