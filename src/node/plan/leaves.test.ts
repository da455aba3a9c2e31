import { describe, expect, it } from 'vitest';
import { OTHER_PEM, PEM } from '../document/configs.testing.ts';
import { fileLeaves, kubeletLeaves } from './leaves.ts';

const classes = (leaves: ReturnType<typeof fileLeaves>) =>
  Object.fromEntries(leaves.map((leaf) => [leaf.path, leaf.class]));
const flags = (text: string) => `KUBELET_FLAGS="${text}"\n`;

describe('the flags of kubelet', () => {
  it.each([
    ['--node-labels', 0],
    ['--hostname-override', 7],
    ['--root-dir', 5],
    ['--node-ip', 4],
    ['--v', 2],
    ['--some-new-flag', 4],
  ])('that change %s are of class %s', (flag, expected) => {
    expect(classes(fileLeaves('kubelet-flags', flags(`${flag}=a`), flags(`${flag}=b`)))).toEqual({ [flag]: expected });
  });

  it('are compared by name: what stays, and where it stands, is no change', () => {
    const [before, after] = [flags('--v=2 --node-ip=10.0.0.4'), flags('--node-ip=10.0.0.4 --v=2')];
    expect(fileLeaves('kubelet-flags', before, after)).toEqual([]);
    const [leaf] = fileLeaves('kubelet-flags', undefined, flags('--v=2'));
    expect(leaf).toMatchObject({ path: '--v', from: undefined, to: '2' });
  });
});

describe('the configuration of containerd', () => {
  it.each([
    ['root = "/a"', 'root = "/b"', 5],
    ['[plugins.x]\nsnapshotter = "a"', '[plugins.x]\nsnapshotter = "b"', 4],
    ['[plugins.x]\nsandbox = "a"', '[plugins.x]\nsandbox = "b"', 3],
  ])('%j to %j is of class %i', (before, after, expected) => {
    expect(fileLeaves('containerd-config', before, after).map((leaf) => leaf.class)).toEqual([expected]);
  });
});

describe('certificates', () => {
  const level = (before: string | undefined, after: string | undefined) =>
    fileLeaves('certificates', before, after).map((leaf) => leaf.class);

  it('that are the same, however they are spaced, are no change', () => {
    expect(level(PEM, PEM.replaceAll('\n', '\r\n'))).toEqual([]);
    expect(level(PEM + OTHER_PEM, OTHER_PEM + PEM)).toEqual([]);
  });

  it('that keep an old one are a rotation, and without any old one another cluster', () => {
    expect(level(PEM, PEM + OTHER_PEM)).toEqual([2]);
    expect(level(PEM + OTHER_PEM, OTHER_PEM)).toEqual([2]);
    expect(level(PEM, OTHER_PEM)).toEqual([7]);
    expect(level(undefined, PEM)).toEqual([2]);
  });
});

describe('the configuration of kubelet', () => {
  it('is compared setting by setting, with the state that is stale after it', () => {
    const leaves = kubeletLeaves(
      { maxPods: 110, cpuManagerPolicy: 'none', port: 1 },
      { cpuManagerPolicy: 'static', port: 1 },
    );
    expect(leaves.map(({ path, from, to }) => [path, from, to])).toEqual([
      ['cpuManagerPolicy', 'none', 'static'],
      ['maxPods', '110', undefined],
    ]);
    expect(leaves[0]?.stale).toEqual(['cpu_manager_state']);
    expect(leaves[1]?.stale).toEqual([]);
  });
});
