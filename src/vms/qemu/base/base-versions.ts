// vms/qemu/base/base-versions.ts: which base images are there, what were they made of, and what is the next one called?
import { type VersionId, versionId } from '../home/layout.ts';
import type { VersionRecord } from '../home/records.ts';
import { readVersionRecord, versionNamesIn } from '../home/version-records.ts';
import { hashRecipe, type Recipe } from './recipe.ts';

export const BASE_GALLERY = 'headstart';
/** On versions: what they were made of. */
export const BASE_TAGS = {
  recipe: 'headstart-recipe',
  packages: 'headstart-packages',
  kernel: 'headstart-kernel',
} as const;

export interface BaseImage {
  id: string;
  /** false: it was there already. */
  isNew: boolean;
  record: VersionRecord;
}

/** Without a look at the network. */
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

/** `2026.1116.0`: year, month and day, and which of that day's. Newer than everything that is there. */
export function nextName(nowMs: number, taken: readonly string[]): string {
  const [year, month, day] = new Date(nowMs).toISOString().slice(0, 10).split('-');
  const today = `${year}.${Number(`${month}${day}`)}.`;
  const numbers = taken.filter((name) => name.startsWith(today)).map((name) => Number(name.slice(today.length)));
  return `${today}${Math.max(-1, ...numbers) + 1}`;
}
