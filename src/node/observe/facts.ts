// node/observe/facts.ts: what is known about a node before it is configured? Versions from the image's release file (so that no program has to
// run), the instance from the platform, the size of the machine from the kernel.
import type { JsonObject } from '../../schema/json.ts';

export interface Facts {
  image: ImageFacts;
  instance: InstanceFacts;
  machine: MachineSize;
}

/** The image's release file, `usr/lib/headstart/release.json`. */
export interface ImageFacts {
  name: string;
  version: string;
  /** `1.34.2`. */
  kubernetesVersion: string;
  containerdVersion?: string | undefined;
  architecture?: string | undefined;
  /** Supported versions of the document, oldest first. */
  configApiVersions: readonly string[];
  /** Directory of the CNI plugins. */
  cniBinDir: string;
  /** The lowest layer of every document: part of a v1 `spec`. */
  defaults: JsonObject;
  /** Public keys (PEM) that may sign documents. With any, an unsigned document is refused. */
  signers: readonly string[];
}

/** From the platform; everything may be missing if the document comes from a file. */
export interface InstanceFacts {
  platform: 'azure' | 'ec2' | 'file';
  /** Unique for the life of the instance. */
  vmId?: string | undefined;
  /** The host name the platform gave it. */
  computerName?: string | undefined;
  /** In the notation of the cloud controller, `azure:///subscriptions/…`. */
  providerId?: string | undefined;
  region?: string | undefined;
  zone?: string | undefined;
  size?: string | undefined;
  /** Addresses of the first interface, the primary address first. */
  addresses: readonly string[];
  tags: Readonly<Record<string, string>>;
}

/** The variables of expressions. */
export interface MachineSize {
  cpus: number;
  memoryBytes: number;
}

export const RELEASE_FILE = 'usr/lib/headstart/release.json';
