// image/update/manifests.testing.ts: a component with one version per Kubernetes version, and comments that edits must keep, for tests.
import { SHA } from '../manifest/manifests.testing.ts';

export const KEYED = `  # the agent
  - name: kubelet
    kind: binary
    licence: Apache-2.0
    reason: the node agent
    versions:
      - version: 1.35.8
        kubernetes: 1.35.8 # keep
        sources: { amd64: { origin: upstream:kubernetes, path: v1.35.8/kubelet, sha256: ${SHA} } }
    install: { to: /usr/bin/kubelet }
`;
