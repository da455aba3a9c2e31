import { describe, expect, it } from 'vitest';
import { readerName, readerPod } from './reader-pod.ts';

const pod = readerPod({ nodeName: 'n1', namespace: 'kube-system', image: 'i', script: 'true', deadlineMs: 1_500 });
const [container] = pod.spec!.containers;

describe('the reader pod', () => {
  it('runs on the node without the scheduler, whatever its taints, and not longer than the deadline', () => {
    expect(pod.spec).toMatchObject({ nodeName: 'n1', tolerations: [{ operator: 'Exists' }], activeDeadlineSeconds: 2 });
  });

  it('sees the node read-only and in no other way', () => {
    expect(pod.spec?.volumes?.filter(({ hostPath }) => hostPath)).toEqual([
      { name: 'root', hostPath: { path: '/', type: 'Directory' } },
    ]);
    expect(container?.volumeMounts?.find(({ name }) => name === 'root')).toMatchObject({ readOnly: true });
    for (const key of ['hostPID', 'hostNetwork', 'hostIPC']) expect(pod.spec).not.toHaveProperty(key);
  });

  it('has no privileges, no token of the cluster, and two capabilities', () => {
    expect(container?.securityContext).toMatchObject({
      privileged: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'], add: ['SYS_CHROOT', 'DAC_READ_SEARCH'] },
    });
    expect(pod.spec?.automountServiceAccountToken).toBe(false);
  });

  it('asks systemd over D-Bus, because systemd has no process id that the pod could see', () => {
    expect(container?.env).toContainEqual({ name: 'SYSTEMCTL_FORCE_BUS', value: '1' });
  });

  it('has the same name for the same node', () => {
    expect(pod.metadata?.name).toBe(readerName('n1'));
    expect(readerName('n1')).not.toBe(readerName('n2'));
  });
});
