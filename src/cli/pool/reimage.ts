// cli/pool/reimage.ts: `headstart pool reimage INSTANCE`: a new disk from the pool's recipe as it is now.
import { type OpenPools, openPools } from '../compose/open-pools.ts';
import { type Order, orderVerb } from './power.ts';

const reimage: Order = {
  name: 'reimage',
  doing: 'reimaging',
  examples: ['pool reimage pool1-000001', 'pool reimage pool1-000001 --yes'],
  loses: 'What is on its disk is lost.',
  endsUp: true,
  apply: (provider, instance, options) => provider.pools.reimage(instance, options),
};

export const poolReimage = (open: OpenPools) => orderVerb(reimage, open);
export const verb = poolReimage(openPools);
