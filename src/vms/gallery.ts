// vms/gallery.ts: contract for galleries, image definitions and image versions. gallery.suite.ts checks it.
import type { CallOptions } from '../base/call-options.ts';
import type { Model, TagChange, VmGeneration } from './pools.ts';

export interface DefinitionSpec {
  gallery: string;
  name: string;
  osState: Model['osState'];
  generation: VmGeneration;
  architecture: Model['architecture'];
  securityType: Model['securityType'];
  plan?: Model['plan'];
  imageFeatures?: Model['imageFeatures'];
  publisher: string;
  offer: string;
  sku: string;
}

export interface Definition extends DefinitionSpec {
  id: string;
  /** Absent: linux. */
  os?: Model['os'];
}

/** Why instances that need `wanted` cannot be made from `seen`; none of these fields can change. Publisher, offer and sku do not matter. */
export function unfitFields(seen: Omit<Definition, 'id'>, wanted: DefinitionSpec): string[] {
  const planText = ({ plan }: Pick<Definition, 'plan'>) =>
    plan ? `${plan.publisher}/${plan.product}/${plan.name}` : 'none';
  const fields = ['osState', 'generation', 'architecture', 'securityType'] as const;
  return [
    ...(seen.os === 'windows' ? ['os is windows, needed linux'] : []),
    ...fields
      .filter((field) => seen[field] !== wanted[field])
      .map((field) => `${field} is ${seen[field]}, needed ${wanted[field]}`),
    ...(planText(seen) === planText(wanted) ? [] : [`plan is ${planText(seen)}, needed ${planText(wanted)}`]),
  ];
}

export type Redundancy = 'zone' | 'local';

export interface VersionSpec {
  definition: Definition;
  /** Three integers, `2026.11.15`. */
  name: string;
  snapshotId: string;
  region: string;
  replicas: number;
  redundancy: Redundancy;
  isExcludedFromLatest: boolean;
  tags: Readonly<Record<string, string>>;
}

export interface Version {
  name: string;
  id: string;
  /** `ready`: created *and* replicated to every requested region. */
  state: 'creating' | 'replicating' | 'ready' | 'failed' | 'deleting';
  percent: number;
  isExcludedFromLatest: boolean;
  replicas: number;
  redundancy: Redundancy;
  sizeGb: number;
  createdMs: number;
  tags: Readonly<Record<string, string>>;
  failure?: string;
}

/**
 * Galleries hold definitions, definitions hold versions; a version is a disk that instances can be made from.
 * A read returns undefined when the thing does not exist; a change to a thing that does not exist throws `NotFound`.
 * A change returns when the operation has ended, unless its comment says otherwise; callers read again to see whether it took effect.
 * Every change is safe to repeat: it succeeds when the result already exists, and deleting a thing that does not exist succeeds.
 */
export interface Gallery {
  readDefinition(gallery: string, name: string, options?: CallOptions): Promise<Definition | undefined>;
  /** Creates the gallery too. Throws `Refused` when the definition exists and differs in a field that cannot change. */
  ensureDefinition(spec: DefinitionSpec, region: string, options?: CallOptions): Promise<Definition>;
  /** Includes definitions made by other tools. Returns undefined when the gallery does not exist, and [] when it is empty. */
  listDefinitions(gallery: string, options?: CallOptions): Promise<Definition[] | undefined>;
  listVersions(definition: Definition, options?: CallOptions): Promise<Version[]>;
  /** The same fields that `listVersions` returns. */
  readVersion(definition: Definition, version: string, options?: CallOptions): Promise<Version | undefined>;
  /** Returns when the provider has accepted the request; creating and replicating take minutes to hours more. */
  beginVersion(spec: VersionSpec, options?: CallOptions): Promise<void>;
  setExcludedFromLatest(
    definition: Definition,
    version: string,
    isExcluded: boolean,
    options?: CallOptions,
  ): Promise<void>;
  /** Leaves `isExcludedFromLatest` unchanged. */
  tagVersion(definition: Definition, version: string, tags: TagChange, options?: CallOptions): Promise<void>;
  deleteVersion(definition: Definition, version: string, options?: CallOptions): Promise<void>;
  /** Throws `Refused` while it has versions: callers delete each version by name first. */
  deleteDefinition(definition: Definition, options?: CallOptions): Promise<void>;
  /** Throws `Refused` while it has definitions, so that one made a moment ago is not lost. */
  deleteGallery(gallery: string, options?: CallOptions): Promise<void>;
  /** Ids of the definition's versions that a pool model or an instance refers to, as far as the provider may list those. */
  referencedImages(definition: Definition, options?: CallOptions): Promise<ReadonlySet<string>>;
}
