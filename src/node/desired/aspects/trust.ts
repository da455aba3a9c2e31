// node/desired/aspects/trust.ts: which CA certificates does the node trust in addition to those of the image? Mainly for registries and proxies.
import { type AspectFunction, CONTAINERD, textFile } from './aspect.ts';

export const trustAspect: AspectFunction = ({ trustedCertificates }) => ({
  files: Object.entries(trustedCertificates).map(([name, pem]) =>
    textFile(`/usr/local/share/ca-certificates/headstart-${name}.crt`, `${pem.trim()}\n`, {
      aspect: 'trust',
      class: 3,
      after: [{ do: 'update-trust' }, { do: 'restart', unit: CONTAINERD }],
    }),
  ),
});
