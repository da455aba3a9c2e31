// image/build/stages/make-base-layer.ts: make the base layer, or verify the cached one.
import { baseLayer } from '../layers/base-layer.ts';
import type { SharedStage } from '../stage.ts';

export const makeBaseLayer: SharedStage<never, 'base'> = {
  id: 'base-layer',
  title: 'make the base layer',
  amount: ([target]) => ` of ${target?.lock.artifacts.filter(({ kind }) => kind === 'deb').length ?? 0} packages`,
  done: 'base layer made',
  verified: 'base layer verified',
  key: ({ lock }, tools) => baseLayer(lock, tools).key,
  isNeeded: () => true,
  isAvailable: ({ lock }, { tools, cacheFolder }) => baseLayer(lock, tools).isCached(cacheFolder),
  needs: [],
  gives: ['base'],
  async open({ target, ...deps }) {
    const base = await baseLayer(target.lock, deps.tools).verify(deps);
    return base && { base };
  },
  async make({ target, ...deps }) {
    const layer = baseLayer(target.lock, deps.tools);
    await layer.make(deps);
    const base = await layer.verify(deps);
    if (!base) throw new Error(`the layer ${layer.key} disappeared after it was made`);
    return { base };
  },
};
