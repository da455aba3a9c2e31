// cli/pool/stop.ts: `headstart pool stop INSTANCE`: shuts down the guest; its disk stays.
import { type OpenPools, openPools } from '../compose/open-pools.ts';
import { actionVerb, type InstanceAction } from './power.ts';

const stop: InstanceAction = {
  name: 'stop',
  doing: 'stopping',
  examples: ['pool stop pool1-000001', 'pool stop pool1-000001 --json'],
  endsUp: false,
  apply: (provider, instance, options) => provider.pools.stop(instance, options),
};

export const poolStop = (open: OpenPools) => actionVerb(stop, open);
export const verb = poolStop(openPools);
