// node/desired/aspects/trust.ts: whose certificates does the node trust beside the image's? For registries and proxies above all.
import { CONTAINERD, type ToPart, textFile } from './aspect.ts';

export const trust: ToPart = ({ trustedCertificates }) => ({
  files: Object.entries(trustedCertificates).map(([name, pem]) =>
    textFile(`/usr/local/share/ca-certificates/headstart-${name}.crt`, `${pem.trim()}\n`, {
      aspect: 'trust',
      class: 3,
      after: [{ do: 'update-trust' }, { do: 'restart', unit: CONTAINERD }],
    }),
  ),
});
