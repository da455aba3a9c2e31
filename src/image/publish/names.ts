// image/publish/names.ts: what is an image called in a gallery, and which tags do its versions have? Persisted: do not rename.
import type { DefinitionSpec } from '../../vms/gallery.ts';
import type { LockedBase } from '../lock/lock.ts';

/** `node-1.35.8`: one definition per Kubernetes patch version. */
export function imageDefinitionName(name: string, kubernetes: string): string {
  return `${name}-${kubernetes}`;
}

/** `2026.1116.0`: galleries require three integers. */
export function imageVersionName({ date, patch }: Pick<LockedBase, 'date' | 'patch'>): string {
  return `${date}.${patch}`;
}

/** `1.35.8-2026.1116.0`. */
export function imageVersionLabel(kubernetes: string, base: Pick<LockedBase, 'date' | 'patch'>): string {
  return `${kubernetes}-${imageVersionName(base)}`;
}

/** Tags of image versions. */
export const IMAGE_TAGS = {
  /** Content hash: a version never gets other content. */
  content: 'headstart-content',
  version: 'headstart-image',
  /** sha256 of the disk it was made from: the same content can be packed into different bytes. */
  disk: 'headstart-disk',
  /** The content that passed its test; absent if no test passed. */
  tested: 'headstart-tested',
} as const;

export interface ImageIdentity {
  name: string;
  kubernetes: string;
  architecture: string;
}

export function imageDefinitionSpec(
  { name, kubernetes, architecture }: ImageIdentity,
  gallery: string,
): DefinitionSpec {
  return {
    gallery,
    name: imageDefinitionName(name, kubernetes),
    osState: 'generalized',
    generation: 'V2',
    architecture: architecture === 'arm64' ? 'Arm64' : 'x64',
    securityType: 'Standard',
    publisher: 'headstart',
    offer: name,
    sku: kubernetes,
  };
}
