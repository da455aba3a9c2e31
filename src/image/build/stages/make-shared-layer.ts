// image/build/stages/make-shared-layer.ts: make the layer that all images of a lock are copied from, if the lock has several versions.
import type { ImageTarget } from '../contract.ts';
import { baseLayer } from '../layers/base-layer.ts';
import { isSharedLayerCached, sharedLayer } from '../layers/shared-layer.ts';
import type { SharedStage } from '../stage.ts';
import type { ToolVersions } from '../tool-versions.ts';

export const makeSharedLayer: SharedStage<never, never> = {
  id: 'shared-layer',
  title: 'make the shared layer',
  done: 'shared layer cached',
  key: (target, tools) => layerOf(target, tools).key,
  isNeeded: ({ target }) => isSharedLayerCached(target),
  isAvailable: (target, { tools, cacheFolder }) => layerOf(target, tools).isCached(cacheFolder),
  needs: [],
  gives: [],
  async make({ target, ...deps }) {
    await layerOf(target, deps.tools).make(deps);
    return {};
  },
};

const layerOf = (target: ImageTarget, tools: ToolVersions) => sharedLayer(target, baseLayer(target.lock, tools));
