import { describe, expect, it } from 'vitest';
import { renderFlags } from '../desired/kubelet-flags.ts';
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
  ])('with a change of %s are of class %s', (flag, expected) => {
    expect(classes(fileLeaves('kubelet-flags', flags(`${flag}=a`), flags(`${flag}=b`)))).toEqual({ [flag]: expected });
  });

  it('are compared by name, independent of their order', () => {
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

  it('that differ only in spacing are no change', () => {
    expect(level(PEM, PEM.replaceAll('\n', '\r\n'))).toEqual([]);
    expect(level(PEM + OTHER_PEM, OTHER_PEM + PEM)).toEqual([]);
  });

  it('that keep an old one are a rotation; without an old one they are another cluster', () => {
    expect(level(PEM, PEM + OTHER_PEM)).toEqual([2]);
    expect(level(PEM + OTHER_PEM, OTHER_PEM)).toEqual([2]);
    expect(level(PEM, OTHER_PEM)).toEqual([7]);
    expect(level(undefined, PEM)).toEqual([2]);
  });
});

describe('the configuration of kubelet', () => {
  it('is compared by setting, with the state files that become stale', () => {
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

describe("settings of containerd's file", () => {
  const leaves = (before: string | undefined, after: string | undefined) =>
    fileLeaves('containerd-config', before, after).map(({ path, from, to, class: one }) => [path, from, to, one]);

  it('do not differ if only the notation differs', () => {
    expect(leaves('version = 2\nimports = ["/x"]\n', "# ours\nversion = 2\nimports = [ '/x' ]\n")).toEqual([]);
  });

  it('differ by table and key, with the values as TOML', () => {
    const before = '[plugins."io.x"]\nsandbox_image = "a"\nlist = [1]\n';
    const after = '[plugins."io.x"]\nsandbox_image = "b"\nlist = [1, 2]\n';
    expect(leaves(before, after)).toEqual([
      ['plugins."io.x".list', '[ 1 ]', '[ 1, 2 ]', 3],
      ['plugins."io.x".sandbox_image', '"a"', '"b"', 3],
    ]);
  });

  it.each([
    ['root = "/a"', 'root = "/b"', 5],
    ['state = "/a"', '', 5],
    ['[plugins.x]\nsnapshotter = "overlayfs"', '[plugins.x]\nsnapshotter = "zfs"', 4],
    ['[plugins]\nx = { snapshotter = "overlayfs" }', '[plugins.x]\nsnapshotter = "zfs"', 4],
    ['version = 2', 'version = 3', 3],
  ])('%j → %j is of class %j', (before, after, expected) => {
    expect(leaves(before, after).map(([, , , one]) => one)).toEqual([expected]);
  });

  it('are all added or all removed if the other text is not TOML', () => {
    expect(leaves('root = ', 'root = "/a"')).toEqual([
      ['not TOML', 'root = ', undefined, 3],
      ['root', undefined, '"/a"', 5],
    ]);
    expect(leaves('root = "/a"', 'root = ').map(([path]) => path)).toEqual(['not TOML', 'root']);
  });
});

describe('flags of kubelet', () => {
  it.each([
    ['node-labels', 'a=b', 0],
    ['v', '4', 2],
    ['node-ip', '10.0.0.4', 4],
    ['root-dir', '/x', 5],
    ['provider-id', 'azure:///x', 7],
    ['made-up', '1', 4],
  ])('--%s=%s is of class %j', (name, value, expected) => {
    const text = renderFlags(new Map([[name, value]]));
    expect(fileLeaves('kubelet-flags', undefined, text).map((leaf) => leaf.class)).toEqual([expected]);
  });
});

describe('certificates', () => {
  const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
  const classes = (before: string | undefined, after: string | undefined) =>
    fileLeaves('certificates', before, after).map((leaf) => leaf.class);

  it('are the same in any order and spacing', () => {
    expect(classes(pem('AA') + pem('BB'), `\n${pem('BB')}\n${pem('AA')}`)).toEqual([]);
  });

  it('are a rotation if one is kept, and another cluster if none is', () => {
    expect(classes(pem('AA'), pem('AA') + pem('BB'))).toEqual([2]);
    expect(classes(pem('AA'), pem('BB'))).toEqual([7]);
    expect(classes(undefined, pem('BB'))).toEqual([2]);
  });
});
