// node/metadata/detect.ts: on which platform is this node? Firmware says so before there is a network.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const PLATFORMS = ['azure', 'ec2'] as const;
export type MetadataPlatform = (typeof PLATFORMS)[number];

/** Every Azure VM carries this, and nothing else does. */
const AZURE_ASSET_TAG = '7783-7084-3265-9085-8269-3286-77';

/** Undefined: neither; a document has to come from a file. */
export function detectPlatform(root: string): MetadataPlatform | undefined {
  if (dmi(root, 'chassis_asset_tag') === AZURE_ASSET_TAG) return 'azure';
  return dmi(root, 'sys_vendor') === 'Amazon EC2' ? 'ec2' : undefined;
}

function dmi(root: string, name: string): string {
  try {
    return readFileSync(join(root, 'sys/class/dmi/id', name), 'utf8').trim();
  } catch {
    return ''; // no firmware tables, or not for us to read
  }
}
