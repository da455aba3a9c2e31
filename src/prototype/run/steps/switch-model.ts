// prototype/run/steps/switch-model.ts: one conditional update points the model at the version and removes the bootstrap.

import { BOOTSTRAP_TAG, MODEL_TAG, ROLLBACK_TAG } from '../../names.ts';
import { bootstrapExtensions } from '../extensions.ts';
import { modelDiff } from '../model-diff.ts';
import { isTargetBad, type Scene, targetVersion } from '../scene.ts';
import type { Step } from '../step.ts';

export const switchModel: Step = {
  id: 'switch-model',
  title: 'point the pool at the version and remove one-time bootstrap',
  usuallyMs: 60_000,
  isNeeded: (scene) => !scene.run.isAborting && !isTargetBad(scene),
  isDone: isSwitched,
  changes: modelDiff,
  apply: async (scene, { publisher, signal, onWaiting }) => {
    const { world } = scene;
    const version = targetVersion(scene)!;
    const leaving = new Set(bootstrapExtensions(world.pool.model.extensions).map((extension) => extension.name));
    await publisher.changeModel(
      world.pool,
      {
        image: { kind: 'version', id: version.id },
        bootstrap: 'none',
        extensions: {
          keep: world.pool.model.extensions.map((e) => e.name).filter((name) => !leaving.has(name)),
          add: [],
        },
        tags: { [BOOTSTRAP_TAG]: 'none', [MODEL_TAG]: version.name, [ROLLBACK_TAG]: null },
      },
      { signal, onWaiting },
    );
  },
};

/** Reads the model back: image, bootstrap and extensions all have to match. */
export function isSwitched(scene: Scene): boolean {
  const { model } = scene.world.pool;
  const version = targetVersion(scene);
  return (
    version !== undefined &&
    model.image.kind === 'version' &&
    model.image.id.toLowerCase() === version.id.toLowerCase() &&
    model.bootstrap === 'none' &&
    bootstrapExtensions(model.extensions).length === 0
  );
}
