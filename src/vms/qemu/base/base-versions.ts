// vms/qemu/base/base-versions.ts: which base images exist, from which recipe, and what is the next version's name?
import { type VersionId, versionId } from '../home/layout.ts';
import type { VersionRecord } from '../home/records.ts';
import { readVersionRecord, versionNamesIn } from '../home/version-records.ts';
import { hashRecipe, type Recipe } from './recipe.ts';

export const BASE_GALLERY = 'headstart';
/** Tags on a version that record what it was made from. */
export const BASE_TAGS = {
  recipe: 'headstart-recipe',
  packages: 'headstart-packages',
  kernel: 'headstart-kernel',
} as const;

export interface BaseImage {
  id: string;
  /** false: the version existed already. */
  isNew: boolean;
  record: VersionRecord;
}

/** Uses no network. */
export function findBase(home: string, recipe: Recipe): BaseImage | undefined {
  return baseVersions(home, recipe).find(({ record }) => record.tags[BASE_TAGS.recipe] === hashRecipe(recipe));
}

export const baseDefinition = ({ definition }: Recipe): Omit<VersionId, 'version'> => ({
  gallery: BASE_GALLERY,
  definition,
});

export function baseDefinitionSpec({ definition, release }: Recipe) {
  return {
    gallery: BASE_GALLERY,
    name: definition,
    osState: 'generalized',
    generation: 'V2',
    architecture: 'x64',
    securityType: 'Standard',
    publisher: 'headstart',
    offer: 'debian',
    sku: release,
  } as const;
}

/** Newest first. */
export function baseVersions(home: string, recipe: Recipe): BaseImage[] {
  const definition = baseDefinition(recipe);
  return versionNamesIn(home, definition).flatMap((version) => {
    const record = readVersionRecord(home, { ...definition, version });
    return record ? [{ id: versionId({ ...definition, version }), isNew: false, record }] : [];
  });
}

/** `2026.1116.0`: year, month and day, and a counter for that day. Newer than every existing version. */
export function nextName(nowMs: number, taken: readonly string[]): string {
  const [year, month, day] = new Date(nowMs).toISOString().slice(0, 10).split('-');
  const today = `${year}.${Number(`${month}${day}`)}.`;
  const numbers = taken.filter((name) => name.startsWith(today)).map((name) => Number(name.slice(today.length)));
  return `${today}${Math.max(-1, ...numbers) + 1}`;
}
