import { describe, expect, it } from 'vitest';
import { crictlMinor, pauseTag, samePatch } from './kubernetes.ts';
import { type Case, found } from './subjects.testing.ts';

const RULES_HERE = [samePatch, crictlMinor, pauseTag];

describe('the rules about Kubernetes programs', () => {
  it.each<[string, Case, string[]]>([
    ['kubernetes/same-patch', { versions: { kubelet: '1.35.8', kubectl: 'v1.35.8' } }, []],
    ['kubernetes/same-patch', { versions: { kubelet: '1.35.7', kubectl: '1.34.8' } }, ['error', 'error']],
    ['kubernetes/same-patch', { versions: { kubelet: ['deb', '1.35.8-1.1'] } }, []],
    ['kubernetes/same-patch', { kubernetes: '1.36.0-rc.1', versions: { kubelet: '1.36.0-rc.1' } }, []],
    ['kubernetes/crictl-minor', { versions: { crictl: '1.35.0' } }, []],
    ['kubernetes/crictl-minor', { versions: { crictl: '1.34.0' } }, ['error']],
    ['kubernetes/pause-tag', { image: 'registry.k8s.io/pause:3.10.1' }, []],
    ['kubernetes/pause-tag', { image: 'registry.k8s.io/pause:3.10' }, ['warning']],
    ['kubernetes/pause-tag', { kubernetes: '1.33.1', image: 'registry.k8s.io/pause:3.10' }, []],
    ['kubernetes/pause-tag', { kubernetes: '1.36.1', image: 'registry.k8s.io/pause:3.10.1' }, ['warning']],
    ['kubernetes/pause-tag', { image: 'registry.k8s.io/kube-proxy:v1.35.8' }, []],
  ])('%s: %j gives %j', (id, one, expected) => {
    const rule = RULES_HERE.find((each) => each.id === id)!;
    expect(found(rule, one)).toEqual(expected);
  });
});
