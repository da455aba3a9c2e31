// cluster/kubernetes/feed.ts: lists and watches the CSRs, Node and pods of one node.
import type { Clock } from '../../base/clock.ts';
import { trace } from '../../base/trace.ts';
import { connectCluster } from './connect.ts';
import { type KubeEndpoint, type KubeRequest, translate } from './failures.ts';
import type { WatchedKind } from './join-events.ts';

export interface Feed {
  list(what: WatchedKind, signal: AbortSignal): Promise<{ objects: unknown[]; version: string }>;
  /** Until the connection ends or the signal aborts. `gone`: the server no longer has that version, list again. */
  watch(what: WatchedKind, version: string, listener: Listener, signal: AbortSignal): Promise<'ended' | 'gone'>;
}

export interface Listener {
  onOpen(): void;
  onChange(change: 'put' | 'deleted' | 'bookmark', object: unknown): void;
}

export const SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';

export async function openFeed(from: { kubeconfig: string; nodeName: string; clock: Clock }): Promise<Feed> {
  const { core, certificates, call, endpoint } = await connectCluster(from);
  const { KubeConfig, Watch } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromFile(from.kubeconfig);
  const kinds = {
    requests: {
      path: '/apis/certificates.k8s.io/v1/certificatesigningrequests',
      resource: 'certificatesigningrequests',
      fieldSelector: `spec.signerName=${SIGNER}`,
    },
    nodes: { path: '/api/v1/nodes', resource: 'nodes', fieldSelector: `metadata.name=${from.nodeName}` },
    pods: { path: '/api/v1/pods', resource: 'pods', fieldSelector: `spec.nodeName=${from.nodeName}` },
  };

  return {
    async list(what, signal) {
      const { resource, fieldSelector } = kinds[what];
      const { items, metadata } = await call<{ items: unknown[]; metadata?: { resourceVersion?: string } }>(
        { verb: 'list', resource },
        (options) => {
          if (what === 'requests') return certificates.listCertificateSigningRequest({ fieldSelector }, options);
          if (what === 'nodes') return core.listNode({ fieldSelector }, options);
          return core.listPodForAllNamespaces({ fieldSelector }, options);
        },
        { signal },
      );
      return { objects: items, version: metadata?.resourceVersion ?? '' };
    },

    watch(what, resourceVersion, { onOpen, onChange }, signal) {
      if (signal.aborted) return Promise.resolve('ended');
      const { path, resource, fieldSelector } = kinds[what];
      const request = { verb: 'watch', resource };
      const ending = Promise.withResolvers<'ended' | 'gone'>();
      const stopping = new AbortController();
      let isGone = false;
      const onLine = (type: string, object: unknown) => {
        if (type === 'ERROR')
          isGone = true; // after any error, list again
        else onChange(type === 'DELETED' ? 'deleted' : type === 'BOOKMARK' ? 'bookmark' : 'put', object);
      };
      const onEnd = (error: unknown) => {
        const outcome = isGone ? 'gone' : signal.aborted ? 'ended' : outcomeOf(error, request, endpoint);
        trace(
          'kubernetes',
          `watch ${path} of version ${resourceVersion}: ${typeof outcome === 'string' ? outcome : 'failed'}`,
        );
        if (typeof outcome === 'string') ending.resolve(outcome);
        else ending.reject(outcome);
      };
      // A server that accepts the connection but never answers must not delay an abort.
      const onAbort = () => {
        stopping.abort();
        ending.resolve('ended');
      };
      signal.addEventListener('abort', onAbort, { once: true });
      const query = { fieldSelector, resourceVersion, allowWatchBookmarks: true };
      trace('kubernetes', `watch ${path} of version ${resourceVersion}: begins`);
      new Watch(config).watch(path, query, onLine, onEnd).then((connection) => {
        if (connection.signal.aborted) return;
        stopping.signal.addEventListener('abort', () => connection.abort(), { once: true });
        if (stopping.signal.aborted) connection.abort();
        else onOpen();
      }, onEnd);
      return ending.promise.finally(() => signal.removeEventListener('abort', onAbort));
    },
  };
}

/** An idle timeout or a close by the server ends a watch normally. A timeout does not always throw an Error. */
function outcomeOf(error: unknown, request: KubeRequest, endpoint: KubeEndpoint): 'ended' | 'gone' | Error {
  if (!(error instanceof Error) || error.name === 'TimeoutError') return 'ended';
  if (!('statusCode' in error)) return translate(error, request, endpoint);
  if (error.statusCode === 410) return 'gone';
  return translate(Object.assign(new Error(error.message), { code: error.statusCode, body: '' }), request, endpoint);
}
