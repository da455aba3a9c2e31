// vms/gallery.ts: which image versions are there, is one ready, and what still refers to it? gallery.suite.ts checks it.
import type { CallOptions } from '../base/call-options.ts';
import type { Model, TagChange } from './pools.ts';

export interface DefinitionSpec {
  gallery: string;
  name: string;
  osState: Model['osState'];
  generation: Model['generation'];
  architecture: Model['architecture'];
  securityType: Model['securityType'];
  plan?: Model['plan'];
  publisher: string;
  offer: string;
  sku: string;
}

export interface Definition extends DefinitionSpec {
  id: string;
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
  /** ready: made *and* replicated to every region asked for. */
  state: 'creating' | 'replicating' | 'ready' | 'failed' | 'deleting';
  percent: number;
  isExcludedFromLatest: boolean;
  replicas: number;
  redundancy: Redundancy;
  sizeGb: number;
  createdMs: number;
  tags: Readonly<Record<string, string>>;
  /** Why it failed. */
  failure?: string;
}

/**
 * Galleries hold definitions, definitions hold versions; a version is a disk that instances can be made from.
 * Reading gives undefined for what does not exist; an order about something that does not exist throws `NotFound`.
 * Orders return when the operation has ended, unless they say otherwise; whether it took effect is for the reader to look.
 * Every order is safe to repeat: done already is success.
 */
export interface Gallery {
  readDefinition(gallery: string, name: string, options?: CallOptions): Promise<Definition | undefined>;
  /** With its gallery. Throws `Refused` when one of that name exists and differs in what cannot be changed. */
  ensureDefinition(spec: DefinitionSpec, region: string, options?: CallOptions): Promise<Definition>;
  /** Of one gallery, also those that others made; undefined where there is no such gallery, which is not an empty one. */
  listDefinitions(gallery: string, options?: CallOptions): Promise<Definition[] | undefined>;
  listVersions(definition: Definition, options?: CallOptions): Promise<Version[]>;
  /** As the list shows it. */
  readVersion(definition: Definition, version: string, options?: CallOptions): Promise<Version | undefined>;
  /** Returns once the provider has taken the order; making and replicating go on for minutes to hours. */
  beginVersion(spec: VersionSpec, options?: CallOptions): Promise<void>;
  setExcludedFromLatest(
    definition: Definition,
    version: string,
    isExcluded: boolean,
    options?: CallOptions,
  ): Promise<void>;
  /** How the version is offered stays as it is. */
  tagVersion(definition: Definition, version: string, tags: TagChange, options?: CallOptions): Promise<void>;
  deleteVersion(definition: Definition, version: string, options?: CallOptions): Promise<void>;
  /** Throws `Refused` while it has versions: what goes is named. */
  deleteDefinition(definition: Definition, options?: CallOptions): Promise<void>;
  /** Throws `Refused` while anything is in it, so that a definition made a moment ago is not lost. */
  deleteGallery(gallery: string, options?: CallOptions): Promise<void>;
  /** Image versions, by id, that any pool model or instance in reach of the gallery refers to. */
  referencedImages(definition: Definition, options?: CallOptions): Promise<ReadonlySet<string>>;
}
