import { describe, expect, it } from 'vitest';
import { renderFlags } from '../desired/kubelet-flags.ts';
import { fileLeaves } from './leaves.ts';

describe("settings of containerd's file", () => {
  const leaves = (before: string | undefined, after: string | undefined) =>
    fileLeaves('containerd-config', before, after).map(({ path, from, to, class: one }) => [path, from, to, one]);

  it('do not differ when only the way they are written does', () => {
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

  it('count as all new or all gone where the other text is not TOML', () => {
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

  it('are a rotation while one is kept, and another cluster where none is', () => {
    expect(classes(pem('AA'), pem('AA') + pem('BB'))).toEqual([2]);
    expect(classes(pem('AA'), pem('BB'))).toEqual([7]);
    expect(classes(undefined, pem('BB'))).toEqual([2]);
  });
});
