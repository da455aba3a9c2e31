// node/desired/aspects/mtu.ts: which MTU does the first interface have? Set at every start; after a reboot the interface has the platform's
// value again.
import type { AspectFunction } from './aspect.ts';

export const mtuAspect: AspectFunction = ({ network }) =>
  network.mtu === undefined ? {} : { live: [{ kind: 'mtu', key: '', value: `${network.mtu}`, aspect: 'mtu' }] };
