// demo/kubernetes/settings.ts: settings that all nodes of a local cluster share: the cluster's address and the credential's name.
import { GUEST_ADDRESS, GUEST_PORT } from '../../src/cluster/local/cluster-files.ts';

/** The API server's address for guests of the cluster's pools. */
export const API_SERVER = `https://${GUEST_ADDRESS}:${GUEST_PORT}`;
export const READY_UNIT = 'kubelet.service';
