// cli/pool/reimage.ts: `headstart pool reimage INSTANCE`: a new disk from the pool's recipe as it is now.
import { type OpenPools, openPools } from '../compose/open-pools.ts';
import { actionVerb, type InstanceAction } from './power.ts';

const reimage: InstanceAction = {
  name: 'reimage',
  doing: 'reimaging',
  examples: ['pool reimage pool1-000001', 'pool reimage pool1-000001 --yes'],
  loses: 'What is on its disk is lost.',
  endsUp: true,
  apply: (factory, instance, options) => factory.pools.reimage(instance, options),
};

export const poolReimage = (open: OpenPools) => actionVerb(reimage, open);
export const verb = poolReimage(openPools);
