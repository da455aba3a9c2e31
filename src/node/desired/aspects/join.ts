// node/desired/aspects/join.ts: which cluster does kubelet join, which CA does it trust, and with which first credential? The certificate and
// kubeconfig that kubelet gets afterwards belong to kubelet; headstart only updates the server address in
// the kubeconfig.
import { Secret } from '../../../base/secret.ts';
import type { JsonObject } from '../../../schema/json.ts';
import type { ClusterConfig, JoinConfig } from '../../document/config.ts';
import { renderJson } from '../kubelet-config.ts';
import { type AspectFunction, KUBELET, textFile } from './aspect.ts';

export const CA_PATH = '/etc/kubernetes/pki/ca.crt';
export const BOOTSTRAP_PATH = '/var/lib/kubelet/bootstrap-kubeconfig';
export const KUBECONFIG_PATH = '/var/lib/kubelet/kubeconfig';
/** kubelet's client certificate, once it has joined. */
export const CERTIFICATE_PATH = '/var/lib/kubelet/pki/kubelet-client-current.pem';

export const joinAspect: AspectFunction = ({ cluster, join: how }) => {
  if (cluster === undefined) return {};
  const user = how && userOf(how);
  return {
    files: [
      textFile(CA_PATH, `${cluster.certificateAuthority.trim()}\n`, {
        aspect: 'kubelet',
        class: 7,
        notation: 'certificates',
        after: [{ do: 'restart', unit: KUBELET }],
      }),
      ...(user
        ? [
            textFile(BOOTSTRAP_PATH, new Secret(renderJson(kubeconfig(cluster, user))), {
              aspect: 'kubelet',
              class: 0,
              after: [],
              isOnlyToJoin: true,
            }),
          ]
        : []),
    ],
    live:
      how === undefined || how.method === 'existing'
        ? []
        : [{ kind: 'kubeconfig', key: '', value: cluster.endpoint, aspect: 'kubelet' }],
  };
};

function userOf(how: JoinConfig): JsonObject | undefined {
  if (how.method === 'token') return { token: how.token.reveal() };
  if (how.method !== 'exec') return undefined;
  const { apiVersion, command, args, env } = how;
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
  return { exec: { apiVersion, command, args, env: variables, interactiveMode: 'Never', provideClusterInfo: false } };
}

function kubeconfig(cluster: ClusterConfig, user: JsonObject): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    // By path: kubelet copies the path into its kubeconfig, so new certificates need no change there.
    clusters: [{ name: 'cluster', cluster: { server: cluster.endpoint, 'certificate-authority': CA_PATH } }],
    users: [{ name: 'bootstrap', user }],
    contexts: [{ name: 'bootstrap', context: { cluster: 'cluster', user: 'bootstrap' } }],
    'current-context': 'bootstrap',
  };
}

const SERVER = /^(\s*(?:- )?server: *)(\S+)[ \t]*$/gm;
const EMBEDDED = /^(\s*(?:- )?)certificate-authority-data: *(\S+)[ \t]*$/gm;

/**
 * The server in the kubeconfig that kubelet wrote, as a live value; undefined if it cannot be parsed. CA certificates may be embedded in
 * it if they are those of the document.
 */
export function kubeconfigServer(text: string, authority: string | undefined): string | undefined {
  const servers = [...text.matchAll(SERVER)];
  if (servers.length !== 1) return undefined;
  const embedded = [...text.matchAll(EMBEDDED)][0]?.[2];
  const server = unquoted(servers[0]![2]!);
  if (embedded === undefined || authority === undefined) return server;
  const isSame = Buffer.from(embedded, 'base64').toString().replace(/\s/g, '') === authority.replace(/\s/g, '');
  return isSame ? server : `${server} with other certificates`;
}

/** Changes the server and makes kubelet trust the certificates of the document; every other byte stays. */
export function repointKubeconfig(text: string, server: string): string {
  return text
    .replace(SERVER, (_all, key: string) => `${key}${server}`)
    .replace(EMBEDDED, (_all, indent: string) => `${indent}certificate-authority: ${CA_PATH}`);
}

function unquoted(value: string): string {
  return value.replace(/^(['"])(.*)\1$/, '$2');
}
