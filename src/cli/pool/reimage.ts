// cli/pool/reimage.ts: `headstart pool reimage INSTANCE`: replaces the disk of an instance with a new one from the pool's current model.
import { type OpenPools, openPools } from '../compose/open-pools.ts';
import { actionVerb, type InstanceAction } from './power.ts';

const reimage: InstanceAction = {
  name: 'reimage',
  doing: 'reimaging',
  examples: ['pool reimage pool1-000001', 'pool reimage pool1-000001 --yes'],
  loses: 'All data on its disk is lost.',
  endsUp: true,
  apply: (provider, instance, options) => provider.pools.reimage(instance, options),
};

export const poolReimage = (open: OpenPools) => actionVerb(reimage, open);
export const verb = poolReimage(openPools);
