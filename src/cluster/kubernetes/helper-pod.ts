// cluster/kubernetes/helper-pod.ts: the short-lived pod that runs a script on one node as root.
import { createHash } from 'node:crypto';
import type { V1Pod } from '@kubernetes/client-node';
import { UserError } from '../../base/errors.ts';
import { LAUNCHER } from './run-frame.ts';

/** Marks the helper pod, so that it does not count as a workload. */
export const HELPER_LABEL = 'headstart.dev/helper';
export const MANAGED_LABELS = { 'app.kubernetes.io/managed-by': 'headstart' };
export const HELPER_CONTAINER = 'run';
/** Linux limits one argument of a program to 128 KiB. */
const LONGEST_SCRIPT = 120 << 10;

/** How the helper pod is made in this cluster. */
export interface HelperOptions {
  /** Needs nsenter. */
  image: string;
  /** Names of Secrets in the pod's namespace, for a private registry. */
  pullSecrets?: readonly string[];
  /** The same name on every node, so that rights can be limited to it before the node is known; default: one name per node. */
  name?: string | undefined;
}

export interface HelperSpec extends HelperOptions {
  nodeName: string;
  namespace: string;
  script: string;
  deadlineMs: number;
}

export function helperPod(spec: HelperSpec): V1Pod {
  const { nodeName, namespace, image, pullSecrets = [], script, deadlineMs } = spec;
  if (Buffer.byteLength(script) > LONGEST_SCRIPT) {
    throw new UserError(`a script of ${Buffer.byteLength(script)} bytes is too long to run on a node`, {
      code: 'cluster/script-too-long',
      exitCode: 1,
    });
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: helperName(nodeName, spec), namespace, labels: { ...MANAGED_LABELS, [HELPER_LABEL]: 'run' } },
    spec: {
      // Set directly, without the scheduler: the node is cordoned.
      nodeName,
      tolerations: [{ operator: 'Exists' }],
      hostPID: true,
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      // Kubelet stops the pod even if the run that created it has died.
      activeDeadlineSeconds: Math.max(1, Math.ceil(deadlineMs / 1000)),
      terminationGracePeriodSeconds: 1,
      ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets.map((name) => ({ name })) }),
      containers: [
        {
          name: HELPER_CONTAINER,
          image,
          imagePullPolicy: 'IfNotPresent',
          // The script is passed as the last argument, so that nothing quotes or parses it on the way.
          command: ['nsenter', '--target', '1', '--mount', '--uts', '--ipc', '--net', '--pid', '--'],
          args: ['/bin/sh', '-c', LAUNCHER, 'headstart', script],
          // Root regardless of the image: nsenter needs it.
          securityContext: { privileged: true, runAsUser: 0, runAsGroup: 0 },
          resources: { requests: { cpu: '10m', memory: '16Mi' } },
        },
      ],
    },
  };
}

/** Known before the pod exists, so that the next run finds the pod of a dead run. The chart computes the same name. */
export function helperName(nodeName: string, { name }: Pick<HelperOptions, 'name'> = {}): string {
  return name ?? `headstart-run-${createHash('sha256').update(nodeName).digest('hex').slice(0, 16)}`;
}

export type HelperState = { is: 'running' | 'ended' } | { is: 'waiting'; reason: string };

export function stateOf(pod: V1Pod): HelperState {
  const phase = pod.status?.phase;
  if (phase === 'Succeeded' || phase === 'Failed') return { is: 'ended' };
  const waiting = pod.status?.containerStatuses?.[0]?.state?.waiting;
  if (waiting) return { is: 'waiting', reason: [waiting.reason, waiting.message].filter(Boolean).join(': ') };
  return phase === 'Running' ? { is: 'running' } : { is: 'waiting', reason: 'kubelet has not accepted it yet' };
}
