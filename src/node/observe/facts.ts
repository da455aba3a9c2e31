// node/observe/facts.ts: what is true of this node before anybody configures it? The image says what is on it (nothing is run to
// find out), the platform which instance this is, the kernel how large the machine is.
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
  /** Versions of the document that this image takes, oldest first. */
  configApiVersions: readonly string[];
  /** Where the CNI plugins are. */
  cniBinDir: string;
  /** The lowest layer of every document: part of a v1 `spec`. */
  defaults: JsonObject;
  /** Public keys (PEM) that may sign documents. With any, an unsigned document is refused. */
  signers: readonly string[];
}

/** What the platform says of this instance; all of it may be missing where the document comes from a file. */
export interface InstanceFacts {
  platform: 'azure' | 'ec2' | 'file';
  /** Unique for the life of the instance. */
  vmId?: string | undefined;
  /** The host name the platform gave it. */
  computerName?: string | undefined;
  /** As a cloud controller spells it, `azure:///subscriptions/…`. */
  providerId?: string | undefined;
  region?: string | undefined;
  zone?: string | undefined;
  size?: string | undefined;
  /** Of the first interface, the primary address first. */
  addresses: readonly string[];
  tags: Readonly<Record<string, string>>;
}

/** What expressions may ask for. */
export interface MachineSize {
  cpus: number;
  memoryBytes: number;
}

export const RELEASE_FILE = 'usr/lib/headstart/release.json';
