// cli/complete/local-values.ts: which pools, instances, images, versions and clusters are on this machine? Reads the names of their folders.
// If a record cannot be read, its value has no description: completion repairs nothing and reports nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clustersFolder } from '../../cluster/local/cluster-files.ts';
import { visibleIn } from '../../host/whole-folders.ts';
import {
  compareVersionNames,
  galleryName,
  isPrototypeDefinition,
  prototypeDefinitionName,
  TAGS,
} from '../../prototype/names.ts';
import {
  definitionFolder,
  galleriesFolder,
  galleryFolder,
  instanceFiles,
  instancesFolder,
  isPoolName,
  parseVersionId,
  poolFolder,
  poolRecord,
  poolRef,
  poolsFolder,
  versionFileNames,
  versionId,
} from '../../vms/qemu/home/layout.ts';
import type { CompletionCandidate } from './command-syntax.ts';

/** The gallery that `pool base` and `image publish` write to. `pool create --image` accepts its definitions without the gallery. */
const DEFAULT_GALLERY = 'headstart';

export function pools(home: string): CompletionCandidate[] {
  return poolNames(home).map((value) => {
    const count = visibleIn(instancesFolder(home, value)).length;
    const image = textAt(join(poolFolder(home, value), poolRecord), 'spec', 'image', 'id');
    return { value, summary: `${count} ${count === 1 ? 'instance' : 'instances'}${image ? ` of ${image}` : ''}` };
  });
}

/** `pool`: only the instances of this pool. */
export function instances(home: string, pool?: string): CompletionCandidate[] {
  return poolNames(home)
    .filter((name) => pool === undefined || name === pool)
    .flatMap((name) => {
      const folder = instancesFolder(home, name);
      return visibleIn(folder).map((value) => {
        const wanted = textAt(join(folder, value, instanceFiles.record), 'wanted');
        return { value, summary: `of ${name}${wanted ? `, ${wanted}` : ''}` };
      });
    });
}

export function clusters(home: string): CompletionCandidate[] {
  return visibleIn(clustersFolder(home)).map((value) => ({ value, summary: 'cluster of this machine' }));
}

export function galleries(home: string): CompletionCandidate[] {
  return visibleIn(galleriesFolder(home)).map((value) => {
    const count = definitionsIn(home, value).length;
    return { value, summary: `${count} ${count === 1 ? 'image' : 'images'}` };
  });
}

/** The values of `pool create --image`: a definition, which means its newest version, or one version. */
export function images(home: string): CompletionCandidate[] {
  return visibleIn(galleriesFolder(home)).flatMap((gallery) =>
    definitionsIn(home, gallery).flatMap((definition) => {
      const versions = versionsIn(home, gallery, definition);
      if (versions.length === 0) return [];
      const name = gallery === DEFAULT_GALLERY ? definition : `${gallery}/${definition}`;
      const newest = { value: name, summary: `the newest version, now ${versions[0]!.value}` };
      return [
        newest,
        ...versions.map(({ value, ...rest }) => ({ value: `${gallery}/${definition}/${value}`, ...rest })),
      ];
    }),
  );
}

/** `IMAGE/VERSION`, as `image list` shows them. */
export function publishedVersions(home: string, gallery = DEFAULT_GALLERY): CompletionCandidate[] {
  return definitionsIn(home, gallery).flatMap((definition) =>
    versionsIn(home, gallery, definition).map(({ value, ...rest }) => ({ value: `${definition}/${value}`, ...rest })),
  );
}

/** The versions that runs made for one pool, or for all of them. */
export function prototypeVersions(
  home: string,
  { pool, gallery = galleryName('local') }: { pool?: string; gallery?: string },
): CompletionCandidate[] {
  const isWanted = (name: string) =>
    pool === undefined ? isPrototypeDefinition(name) : name === prototypeDefinitionName(poolRef(pool));
  return definitionsIn(home, gallery)
    .filter(isWanted)
    .flatMap((definition) => versionsIn(home, gallery, definition));
}

function poolNames(home: string): string[] {
  return visibleIn(poolsFolder(home)).filter(isPoolName);
}

function definitionsIn(home: string, gallery: string): string[] {
  return visibleIn(galleryFolder(home, gallery));
}

/** Newest first. */
function versionsIn(home: string, gallery: string, definition: string): CompletionCandidate[] {
  const folder = definitionFolder(home, gallery, definition);
  return visibleIn(folder)
    .filter((version) => parseVersionId(versionId({ gallery, definition, version })))
    .sort((a, b) => compareVersionNames(b, a))
    .map((value) => {
      const donor = textAt(join(folder, value, versionFileNames.record), 'tags', TAGS.donor);
      return { value, ...(donor && { summary: `made from ${donor}` }) };
    });
}

function textAt(file: string, ...keys: readonly string[]): string | undefined {
  try {
    let value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    for (const key of keys) value = (value as Record<string, unknown> | undefined)?.[key];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
