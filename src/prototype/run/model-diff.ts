// prototype/run/model-diff.ts: what exactly would the switch change in the pool's model?

import { describeImage } from '../after/status.ts';
import { bootstrapExtensions, cutOrderings } from './extensions.ts';
import { type Scene, targetVersionName } from './scene.ts';

export interface FieldChange {
  field: 'image' | 'bootstrap' | 'extensions' | 'ordering';
  from: string;
  to: string;
}

/** For progress output: what leaves the model and which orderings are cut. */
export function describeModelChanges(changes: readonly FieldChange[]): string[] {
  return changes.map(({ field, from, to }) => `${field}: ${from} -> ${to}`);
}

export function modelDiff(scene: Scene): FieldChange[] {
  const { model } = scene.world.pool;
  const leaving = bootstrapExtensions(model.extensions).map((extension) => extension.name);
  const kept = model.extensions.map((extension) => extension.name).filter((name) => !leaving.includes(name));
  const known = new Map(scene.world.versions.map((version) => [version.id.toLowerCase(), version.name]));
  const changes: FieldChange[] = [
    { field: 'image', from: describeImage(model.image, known), to: `version ${targetVersionName(scene)}` },
    { field: 'bootstrap', from: model.bootstrap === 'none' ? 'none' : 'custom data', to: 'none' },
    {
      field: 'extensions',
      from: model.extensions.map((e) => e.name).join(', ') || 'none',
      to: kept.join(', ') || 'none',
    },
    ...cutOrderings(model.extensions).map(({ extension, after }) => ({
      field: 'ordering' as const,
      from: `${extension} after ${after.join(', ')}`,
      to: extension,
    })),
  ];
  return changes.filter(({ from, to }) => from !== to);
}
