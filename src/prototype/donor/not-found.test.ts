import { describe, expect, it } from 'vitest';
import { noNode, noPool } from './not-found.ts';

const NODES = ['k8s-pool1-12345678-vmss000000', 'k8s-pool1-12345678-vmss000001', 'k8s-pool1-12345678-vmss000010'];

describe('noNode', () => {
  it('lists the existing nodes, and suggests for a number the node that ends with it', () => {
    const { message, next } = noNode('0', NODES, true);
    expect(message).toBe(`there is no node 0; known: ${NODES.join(', ')} (did you mean ${NODES[0]}?)`);
    expect(next).toBe(`give --node ${NODES[0]}, or name another cluster with --kubeconfig and --context`);
  });

  it('lists at most ten names', () => {
    const many = Array.from({ length: 25 }, (_, i) => `node-${i}`);
    expect(noNode('zebra', many, true).message).toMatch(/ and 15 more$/);
    expect(noNode('zebra', many, true).next).toMatch(/^name one of those with --node/);
  });

  it('suggests another cluster when there are no nodes', () => {
    expect(noNode('x', [], false)).toMatchObject({
      message: 'there is no node x; known: none',
      next: 'name another pool with --pool',
    });
  });
});

describe('noPool', () => {
  it('suggests creating the pool when this machine has none', () => {
    const { message, next } = noPool('nosuch', { pools: [], hasCluster: false, isLocal: true });
    expect(message).toBe('there is no pool called nosuch; known: none');
    expect(next).toBe('headstart pool create nosuch');
  });

  it('suggests the pool that was probably meant', () => {
    const { message, next } = noPool('pool1', {
      pools: ['k8s-pool1-1-vmss', 'other'],
      hasCluster: true,
      isLocal: false,
    });
    expect(message).toContain('called pool1; known: k8s-pool1-1-vmss, other (did you mean k8s-pool1-1-vmss?)');
    expect(next).toBe('give --pool k8s-pool1-1-vmss');
  });

  it('suggests another cluster, or none, when the cluster has no pools', () => {
    const { next } = noPool('p', { pools: [], hasCluster: true, isLocal: false });
    expect(next).toContain('--context');
    expect(next).toContain('--no-cluster --pool NAME');
  });
});
