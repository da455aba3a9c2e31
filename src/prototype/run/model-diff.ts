// prototype/run/model-diff.ts: what exactly would the switch change in the pool's model?

import { describeImage } from '../after/status.ts';
import { bootstrapExtensions } from './extensions.ts';
import { type Scene, targetVersionName } from './scene.ts';

export interface FieldChange {
  field: 'image' | 'bootstrap' | 'extensions';
  from: string;
  to: string;
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
  ];
  return changes.filter(({ from, to }) => from !== to);
}
