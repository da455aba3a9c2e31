import { describe, expect, it } from 'vitest';
import { cniPlugins, containerdCri, containerdRecommended, runcWithContainerd } from './runtime.ts';
import { type Case, found } from './subjects.testing.ts';

const RULES_HERE = [containerdCri, containerdRecommended, runcWithContainerd, cniPlugins];

describe('the rules about the container runtime', () => {
  it.each<[string, Case, string[]]>([
    ['containerd/cri', { versions: { containerd: ['deb', '1.6.20~ds1-1+deb12u1'] } }, ['warning']],
    ['containerd/cri', { kubernetes: '1.33.1', versions: { containerd: '1.7.2' } }, []],
    ['containerd/cri', { kubernetes: '1.37.0', versions: { containerd: '1.7.28' } }, ['warning']],
    ['containerd/cri', { versions: { containerd: '1.5.9' } }, ['error']],
    ['containerd/cri', { kubernetes: '1.38.0', versions: { containerd: '1.7.28' } }, ['error']],
    ['containerd/cri', { kubernetes: '1.38.0', versions: { containerd: '2.0.0' } }, []],
    ['containerd/recommended', { versions: { containerd: ['deb', '1.6.20~ds1-1+deb12u1'] } }, ['warning']],
    ['containerd/recommended', { versions: { containerd: '2.2.1' } }, []],
    ['containerd/recommended', { versions: { containerd: '2.0.3' } }, ['warning']],
    ['containerd/runc', { versions: { containerd: '2.2.1', runc: '1.3.4' } }, []],
    ['containerd/runc', { versions: { containerd: '2.2.1', runc: '1.2.0' } }, ['warning']],
    ['containerd/runc', { versions: { containerd: ['deb', '1.6.20~ds1-1'], runc: ['deb', '1.1.5+ds1-1'] } }, []],
    ['containerd/cni-plugins', { versions: { 'cni-plugins': '0.9.1' } }, ['error']],
    ['containerd/cni-plugins', { versions: { 'containernetworking-plugins': ['deb', '1.1.1+ds1-3'] } }, []],
  ])('%s: %j gives %j', (id, one, expected) => {
    const rule = RULES_HERE.find((each) => each.id === id)!;
    expect(found(rule, one)).toEqual(expected);
  });
});
