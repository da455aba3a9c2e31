// cli/pool/start.ts: `headstart pool start INSTANCE`: boots a stopped instance with its previous disk and VM id; takes a standby instance
// into service.
import { type OpenPools, openPools } from '../compose/open-pools.ts';
import { actionVerb, type InstanceAction } from './power.ts';

const start: InstanceAction = {
  name: 'start',
  doing: 'starting',
  examples: ['pool start pool1-000001', 'pool start pool1-000001 --no-wait'],
  endsUp: true,
  withStandby: true,
  apply: (provider, instance, options) => provider.pools.start(instance, options),
};

export const poolStart = (open: OpenPools) => actionVerb(start, open);
export const verb = poolStart(openPools);
