// image/build/stages/keep-shared.ts: make the layer that all images of a lock are copied from, if the lock has several versions.
import type { ImageTarget } from '../contract.ts';
import { baseLayer } from '../layers/base-layer.ts';
import { isSharedKept, sharedLayer } from '../layers/shared-layer.ts';
import type { SharedStage } from '../stage.ts';
import type { ToolVersions } from '../tool-versions.ts';

export const keepShared: SharedStage<never, never> = {
  id: 'shared-layer',
  title: 'make the shared layer',
  done: 'shared layer kept',
  key: (target, tools) => layerOf(target, tools).key,
  isNeeded: ({ target }) => isSharedKept(target),
  isAvailable: (target, { tools, cacheFolder }) => layerOf(target, tools).isKept(cacheFolder),
  needs: [],
  gives: [],
  async make({ target, ...deps }) {
    await layerOf(target, deps.tools).make(deps);
    return {};
  },
};

const layerOf = (target: ImageTarget, tools: ToolVersions) => sharedLayer(target, baseLayer(target.lock, tools));
