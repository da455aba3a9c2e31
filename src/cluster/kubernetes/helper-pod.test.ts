import { describe, expect, it } from 'vitest';
import { helperName, helperPod, stateOf } from './helper-pod.ts';

const spec = { nodeName: 'n1', namespace: 'headstart', image: 'helper', script: 'true', deadlineMs: 1_500 };

describe('the helper pod', () => {
  it('gets the script as one unquoted argument, and no service account token', () => {
    const script = `echo "$HOME" '; rm -rf /'`;
    const pod = helperPod({ ...spec, script });
    expect(pod.spec?.containers[0]?.args?.at(-1)).toBe(script);
    expect(pod.spec?.automountServiceAccountToken).toBe(false);
  });

  it.each([
    [1_500, 2],
    [1, 1],
    [0, 1],
  ])('with a deadline of %i ms is stopped by kubelet after %i s', (deadlineMs, seconds) => {
    expect(helperPod({ ...spec, deadlineMs }).spec?.activeDeadlineSeconds).toBe(seconds);
  });

  it('refuses a script that does not fit into one argument', () => {
    const fits = 'x'.repeat(120 << 10);
    expect(helperPod({ ...spec, script: fits }).kind).toBe('Pod');
    expect(() => helperPod({ ...spec, script: `${fits}x` })).toThrow('too long');
    expect(() => helperPod({ ...spec, script: 'ü'.repeat(61 << 10) })).toThrow('too long');
  });

  it('has the pull secrets that a private registry needs', () => {
    expect(helperPod({ ...spec, pullSecrets: ['one', 'two'] }).spec?.imagePullSecrets).toEqual([
      { name: 'one' },
      { name: 'two' },
    ]);
    expect(helperPod(spec).spec).not.toHaveProperty('imagePullSecrets');
  });

  it('has a given name on every node, so that rights can name it before the donor is chosen', () => {
    const names = ['n1', 'n2'].map((nodeName) => helperPod({ ...spec, nodeName, name: 'fixed' }).metadata?.name);
    expect(names).toEqual(['fixed', 'fixed']);
    expect(helperPod(spec).metadata?.name).toBe(helperName('n1'));
  });

  it('has one name for each node, which fits into a label', () => {
    const long = `${'a'.repeat(200)}.internal`;
    expect(helperName(long)).toBe(helperName(long));
    expect(helperName(long)).not.toBe(helperName(`${long}x`));
    expect(helperName(long).length).toBeLessThanOrEqual(63);
  });
});

describe('the state of a helper pod', () => {
  const waiting = { reason: 'ErrImagePull', message: 'no such image' };
  it.each([
    [{ phase: 'Succeeded' }, { is: 'ended' }],
    [{ phase: 'Failed' }, { is: 'ended' }],
    [{ phase: 'Running' }, { is: 'running' }],
    [{ phase: 'Pending' }, { is: 'waiting', reason: 'kubelet has not accepted it yet' }],
    [{}, { is: 'waiting', reason: 'kubelet has not accepted it yet' }],
    [
      { phase: 'Pending', containerStatuses: [{ state: { waiting } }] },
      { is: 'waiting', reason: 'ErrImagePull: no such image' },
    ],
  ])('%j is %j', (status, state) => {
    expect(stateOf({ status: status as object })).toEqual(state);
  });
});
