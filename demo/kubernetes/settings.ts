// demo/kubernetes/settings.ts: what is the same on a node of a local cluster, however it is made? Where the cluster is, and with what a node joins.

/** Where guests of a pool of the cluster find its API server. */
export const API_SERVER = 'https://168.0.0.10:6443';
/** What the pool gives each start of an instance: the kubeconfig with which its kubelet asks for a certificate. */
export const CREDENTIAL = 'bootstrap-kubeconfig';
export const READY_UNIT = 'kubelet.service';
