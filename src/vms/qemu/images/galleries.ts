// vms/qemu/images/galleries.ts: read, make and delete galleries and image definitions. A gallery is a folder, a definition a folder with a record.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallOptions } from '../../../base/call-options.ts';
import { Refused } from '../../../base/failures.ts';
import { withLock } from '../../../host/locks.ts';
import { removeAtomically, visibleIn } from '../../../host/whole-folders.ts';
import type { Definition, DefinitionSpec } from '../../gallery.ts';
import type { Home } from '../context.ts';
import {
  definitionFolder,
  definitionId,
  definitionRecord,
  galleryFolder,
  galleryLock,
  homeLock,
} from '../home/layout.ts';
import { readHomeRecord, writeHomeRecord } from '../home/record-file.ts';
import { definitionSchema } from '../home/records.ts';
import { versionNamesIn } from '../home/version-records.ts';

export async function readDefinition({ home }: Home, gallery: string, name: string): Promise<Definition | undefined> {
  return readHomeRecord(join(definitionFolder(home, gallery, name), definitionRecord), definitionSchema);
}

export async function ensureDefinition(
  { home }: Home,
  spec: DefinitionSpec,
  _region: string,
  options?: CallOptions,
): Promise<Definition> {
  const folder = definitionFolder(home, spec.gallery, spec.name);
  return withLock(home, { name: homeLock, why: `making image definition ${spec.name}` }, options, async () => {
    const seen = await readDefinition({ home }, spec.gallery, spec.name);
    const made: Definition = { ...spec, id: definitionId(spec.gallery, spec.name) };
    if (!seen) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      writeHomeRecord(join(folder, definitionRecord), made);
      return made;
    }
    const differences = differencesOf(seen, spec);
    if (differences.length === 0) return seen;
    throw new Refused(
      `image definition ${spec.gallery}/${spec.name} exists and differs in fields that cannot change: ${differences.join(', ')}`,
      'vms/definition-differs',
    );
  });
}

/** Undefined when the gallery does not exist. */
export async function listDefinitions({ home }: Home, gallery: string): Promise<Definition[] | undefined> {
  const folder = galleryFolder(home, gallery);
  if (!existsSync(folder)) return undefined;
  const all = await Promise.all(visibleIn(folder).map((name) => readDefinition({ home }, gallery, name)));
  return all.filter((one) => one !== undefined);
}

/** Throws `Refused` while it has versions. */
export async function deleteDefinition(
  { home }: Home,
  { gallery, name }: Definition,
  options?: CallOptions,
): Promise<void> {
  const why = `deleting image definition ${name}`;
  // The gallery's lock too: another command may be making a version in it.
  await withLock(home, { name: galleryLock(gallery), why }, options, () =>
    withLock(home, { name: homeLock, why }, options, async () => {
      const [version] = versionNamesIn(home, { gallery, definition: name });
      if (version) throw new Refused(`image definition ${name} still has version ${version}`, 'vms/not-empty');
      await removeAtomically(definitionFolder(home, gallery, name));
    }),
  );
}

/** Throws `Refused` while it has definitions. */
export async function deleteGallery({ home }: Home, gallery: string, options?: CallOptions): Promise<void> {
  const folder = galleryFolder(home, gallery);
  await withLock(home, { name: homeLock, why: `deleting gallery ${gallery}` }, options, async () => {
    const [definition] = (await listDefinitions({ home }, gallery)) ?? [];
    if (definition)
      throw new Refused(`gallery ${gallery} still has image definition ${definition.name}`, 'vms/not-empty');
    await removeAtomically(folder);
  });
}

function differencesOf(seen: DefinitionSpec, wanted: DefinitionSpec): string[] {
  const fields = ['osState', 'generation', 'architecture', 'securityType', 'publisher', 'offer', 'sku'] as const;
  const planText = ({ plan }: DefinitionSpec) => (plan ? `${plan.publisher}/${plan.product}/${plan.name}` : 'none');
  return [
    ...fields
      .filter((field) => seen[field] !== wanted[field])
      .map((field) => `${field} is ${seen[field]}, needed ${wanted[field]}`),
    ...(planText(seen) === planText(wanted) ? [] : [`plan is ${planText(seen)}, needed ${planText(wanted)}`]),
  ];
}
