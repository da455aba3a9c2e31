import { describe, expect, it } from 'vitest';
import { helperName, helperPod, stateOf } from './helper-pod.ts';

const spec = { nodeName: 'n1', namespace: 'headstart', image: 'i', script: 'id', deadlineMs: 1_500 };

describe('the helper pod', () => {
  it('is bound to its node past the scheduler, ends by itself, and has no token of the cluster', () => {
    expect(helperPod(spec).spec).toMatchObject({
      nodeName: 'n1',
      activeDeadlineSeconds: 2,
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
    });
    expect(helperPod({ ...spec, deadlineMs: 0 }).spec?.activeDeadlineSeconds).toBe(1);
  });

  it('gets its script as the last argument, as it is', () => {
    const script = `echo "$0" 'a b' \n`;
    expect(helperPod({ ...spec, script }).spec?.containers[0]?.args?.at(-1)).toBe(script);
  });

  it('refuses a script that is longer than an argument may be', () => {
    const fitting = 'é'.repeat((120 << 10) / 2);
    expect(() => helperPod({ ...spec, script: fitting })).not.toThrow();
    expect(() => helperPod({ ...spec, script: `${fitting}x` })).toThrow(
      expect.objectContaining({ code: 'cluster/script-too-long' }),
    );
  });

  it('has one name for each node, which is a name for a pod', () => {
    expect(helperName('n1')).toBe(helperName('n1'));
    expect(helperName('n1')).not.toBe(helperName('n2'));
    expect(helperName('N.'.repeat(100))).toMatch(/^[a-z0-9-]{1,63}$/);
  });
});

describe('the state of the helper pod', () => {
  it.each([
    ['Succeeded', 'ended'],
    ['Failed', 'ended'],
    ['Running', 'running'],
  ])('%s is %s', (phase, is) => {
    expect(stateOf({ status: { phase } })).toEqual({ is });
  });

  it('says why it waits', () => {
    const waiting = { reason: 'ImagePullBackOff', message: 'no such image' };
    const status = { phase: 'Pending', containerStatuses: [{ state: { waiting } }] } as object;
    expect(stateOf({ status })).toEqual({ is: 'waiting', reason: 'ImagePullBackOff: no such image' });
    expect(stateOf({})).toEqual({ is: 'waiting', reason: 'the kubelet has not taken it yet' });
  });
});
