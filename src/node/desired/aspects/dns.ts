// node/desired/aspects/dns.ts: which DNS servers and search domains does the host use? Pods use those of the cluster.
import { type AspectFunction, HEADER, textFile } from './aspect.ts';

export const dnsAspect: AspectFunction = ({ network }) => {
  const lines = [
    ...(network.dnsServers.length > 0 ? [`DNS=${network.dnsServers.join(' ')}\n`] : []),
    ...(network.searchDomains.length > 0 ? [`Domains=${network.searchDomains.join(' ')}\n`] : []),
  ];
  if (lines.length === 0) return {};
  return {
    files: [
      textFile('/etc/systemd/resolved.conf.d/20-headstart.conf', `${HEADER}[Resolve]\n${lines.join('')}`, {
        aspect: 'dns',
        class: 1,
        after: [{ do: 'restart', unit: 'systemd-resolved.service' }],
      }),
    ],
  };
};
