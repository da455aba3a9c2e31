// node/desired/aspects/mtu.ts: how large may packets of the first interface be? Set at every start; the platform's own value comes back with
// the next boot.
import type { ToPart } from './aspect.ts';

export const mtu: ToPart = ({ network }) =>
  network.mtu === undefined ? {} : { live: [{ kind: 'mtu', key: '', value: `${network.mtu}`, aspect: 'mtu' }] };
