// cli/pool/stop.ts: `headstart pool stop INSTANCE`: shut the guest down; its disk stays.
import { type OpenPools, openPools } from '../compose/open-pools.ts';
import { type Order, orderVerb } from './power.ts';

const stop: Order = {
  name: 'stop',
  doing: 'stopping',
  examples: ['pool stop pool1-000001', 'pool stop pool1-000001 --json'],
  endsUp: false,
  apply: (provider, instance, options) => provider.pools.stop(instance, options),
};

export const poolStop = (open: OpenPools) => orderVerb(stop, open);
export const verb = poolStop(openPools);
