// node/desired/aspects/proxy.ts: which proxy do kubelet and containerd use? Its URL may contain a password and everyone can read a unit's
// drop-in, so the environment is in a file that only root can read.
import { Secret } from '../../../base/secret.ts';
import type { NodeConfig, ProxySettings } from '../../document/config.ts';
import { type AspectFunction, CONTAINERD, dropIn, HEADER, KUBELET, textFile } from './aspect.ts';
import { METADATA_ADDRESS, WIRE_SERVER_ADDRESS } from './metadata-firewall.ts';

const ENVIRONMENT = '/etc/headstart/proxy.env';

export const proxyAspect: AspectFunction = (config) => {
  if (config.proxy === undefined) return {};
  const lines = [`EnvironmentFile=${ENVIRONMENT}`];
  return {
    files: [
      textFile(ENVIRONMENT, new Secret(HEADER + environment(config.proxy, config)), {
        aspect: 'proxy',
        class: 3,
        after: [
          { do: 'restart', unit: CONTAINERD },
          { do: 'restart', unit: KUBELET },
        ],
      }),
      dropIn(CONTAINERD, '30-headstart-proxy.conf', ['[Service]', ...lines], { aspect: 'proxy', class: 3 }),
      dropIn(KUBELET, '30-headstart-proxy.conf', ['[Service]', ...lines], { aspect: 'proxy', class: 2 }),
    ],
  };
};

function environment({ http, https, noProxy }: ProxySettings, config: NodeConfig): string {
  const none = [...noProxy, ...neverProxied(config)].filter((name, i, all) => all.indexOf(name) === i).join(',');
  const variables = [
    ...(http === undefined ? [] : [['HTTP_PROXY', http.reveal()] as const]),
    ...(https === undefined ? [] : [['HTTPS_PROXY', https.reveal()] as const]),
    ['NO_PROXY', none] as const,
  ];
  return variables
    .flatMap(([name, value]) => [name, name.toLowerCase()].map((spelling) => `${spelling}="${escaped(value)}"\n`))
    .join('');
}

/** Requests for the instance's identity and traffic inside the cluster must never go through a proxy. */
function neverProxied({ cluster }: NodeConfig): string[] {
  return [
    'localhost',
    '127.0.0.0/8',
    '::1',
    METADATA_ADDRESS,
    WIRE_SERVER_ADDRESS,
    ...(cluster ? ['.svc', `.${cluster.dnsDomain}`, ...cluster.serviceCidrs, ...cluster.podCidrs] : []),
  ];
}

function escaped(value: string): string {
  return value.replace(/[\\"$`]/g, '\\$&');
}
