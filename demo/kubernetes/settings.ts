// demo/kubernetes/settings.ts: what is the same on a node of a local cluster, however it is made? Where the cluster is, and with what a node joins.
import { GUEST_ADDRESS, GUEST_PORT } from '../../src/cluster/local/cluster-files.ts';

/** Where guests of a pool of the cluster find its API server. */
export const API_SERVER = `https://${GUEST_ADDRESS}:${GUEST_PORT}`;
export const READY_UNIT = 'kubelet.service';
