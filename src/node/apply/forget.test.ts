import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NodeDisk } from './disk.ts';
import { STORE } from './folder.ts';
import { A, B, BY_ITSELF, C, inService, ORDERED, said } from './store.testing.ts';
import { openNodeStore } from './store.ts';

describe('a clone', () => {
  it("forgets the donor's documents and its cut-off change, and knows what is ours on the disk", async () => {
    const { node, store } = await inService();
    await store.apply(B, BY_ITSELF);
    const { disk, ...deps } = node.deps();
    const dying: NodeDisk = {
      ...disk,
      rename(from, to) {
        if (!to.startsWith(STORE)) throw new Error('gone');
        disk.rename(from, to);
      },
    };
    await expect(openNodeStore({ ...deps, disk: dying }).apply(C, ORDERED)).rejects.toThrow('gone');
    node.boot();
    // What the clone check does before us.
    rmSync(join(node.root, '/var/lib/kubelet'), { recursive: true });
    node.put('/etc/hostname', 'clone\n');

    const clone = openNodeStore({ ...node.deps(), vmId: 'clone' });
    expect(said(await clone.forget())).toEqual(['unchanged', 'clone/new-identity']);
    expect(clone.slots()).toEqual({ bad: [] });
    expect([clone.active(), clone.listGenerations()]).toEqual([undefined, []]);
    expect(readdirSync(join(node.root, STORE)).sort()).toEqual(['generations', 'state']);
    expect(readdirSync(join(node.root, STORE, 'generations'))).toEqual([]);
    expect(said(await clone.recover())).toEqual(['unchanged', 'ok/nothing-to-do']);
    expect(said(await clone.forget())).toEqual(['unchanged', 'ok/nothing-to-do']);

    const { instance } = A.facts;
    const own = { ...A, hash: 'own', facts: { ...A.facts, instance: { ...instance, computerName: 'node-2' } } };
    const outcome = await clone.apply(own, BY_ITSELF);
    expect([outcome.kind, outcome.slots.watch?.backTo]).toEqual(['applied', undefined]);
    expect(node.text('/etc/hostname')).toBe('node-2\n');
    expect(openNodeStore(node.deps()).slots().active?.vmId).toBe('clone');
  });
});
