// cluster/kubernetes/reader-pod.ts: the short-lived pod that reads one node: its root file system, read-only, and as few rights as possible.
import { createHash } from 'node:crypto';
import type { V1Pod, V1VolumeMount } from '@kubernetes/client-node';
import { HELPER_CONTAINER, HELPER_LABEL, type HelperOptions, MANAGED_LABELS } from './helper-pod.ts';
import { launcherIn } from './run-frame.ts';

export interface ReaderSpec extends HelperOptions {
  nodeName: string;
  namespace: string;
  /** Runs in the node's root folder with the node's programs; only /tmp is writable, and belongs to the pod. */
  script: string;
  deadlineMs: number;
}

const ROOT = '/host';

/**
 * Not privileged, and in no namespace of the node: it sees files and sockets, so `systemctl show` and `journalctl` work, but no
 * process. Root without capabilities, except to change its root folder and to read files of any owner.
 */
export function readerPod({
  nodeName,
  namespace,
  image,
  pullSecrets = [],
  name,
  script,
  deadlineMs,
}: ReaderSpec): V1Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: name ?? readerName(nodeName),
      namespace,
      labels: { ...MANAGED_LABELS, [HELPER_LABEL]: 'collect' },
    },
    spec: {
      // Set directly, without the scheduler: a slow node may be tainted or cordoned.
      nodeName,
      tolerations: [{ operator: 'Exists' }],
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      // Kubelet stops the pod even if the program that created it has died.
      activeDeadlineSeconds: Math.max(1, Math.ceil(deadlineMs / 1000)),
      terminationGracePeriodSeconds: 1,
      ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets.map((secret) => ({ name: secret })) }),
      volumes: [
        { name: 'root', hostPath: { path: '/', type: 'Directory' } },
        { name: 'tmp', emptyDir: { sizeLimit: '512Mi' } },
      ],
      containers: [
        {
          name: HELPER_CONTAINER,
          image,
          imagePullPolicy: 'IfNotPresent',
          command: ['nsenter', `--root=${ROOT}`, `--wd=${ROOT}`, '--'],
          args: ['/bin/sh', '-c', launcherIn('/tmp'), 'headstart', script],
          env: [
            { name: 'TMPDIR', value: '/tmp' },
            // The root folder of the pod is not the one of the node's first process.
            { name: 'SYSTEMD_IGNORE_CHROOT', value: '1' },
            // On its private socket systemctl refuses a peer without a process id, and the pod cannot see the node's first process.
            { name: 'SYSTEMCTL_FORCE_BUS', value: '1' },
          ],
          securityContext: {
            runAsUser: 0,
            runAsGroup: 0,
            privileged: false,
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'], add: ['SYS_CHROOT', 'DAC_READ_SEARCH'] },
            seccompProfile: { type: 'RuntimeDefault' },
          },
          resources: { requests: { cpu: '10m', memory: '16Mi' } },
          volumeMounts: [ROOT_MOUNT, { name: 'tmp', mountPath: `${ROOT}/tmp` }],
        },
      ],
    },
  };
}

/** `recursiveReadOnly` covers file systems that are mounted below, such as /run. Servers before 1.30 ignore it. */
const ROOT_MOUNT: V1VolumeMount = { name: 'root', mountPath: ROOT, readOnly: true, recursiveReadOnly: 'IfPossible' };

/** Known before the pod exists, so that the next run finds the pod of a dead run. */
export function readerName(nodeName: string): string {
  return `headstart-collect-${createHash('sha256').update(nodeName).digest('hex').slice(0, 16)}`;
}
