// node/desired/aspects/mtu.ts: how large may packets of the first interface be? Set at every start; the platform's own value comes back with
// the next boot.
import type { AspectFunction } from './aspect.ts';

export const mtuAspect: AspectFunction = ({ network }) =>
  network.mtu === undefined ? {} : { live: [{ kind: 'mtu', key: '', value: `${network.mtu}`, aspect: 'mtu' }] };
