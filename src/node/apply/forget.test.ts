import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NodeDisk } from './disk.ts';
import { STORE } from './folder.ts';
import { A, B, C, inService, kindAndCode, ORDERED, UNORDERED } from './store.testing.ts';
import { openNodeStore } from './store.ts';

describe('a clone', () => {
  it("discards the donor's documents and its interrupted change, and keeps the ownership record", async () => {
    const { node, store } = await inService();
    await store.apply(B, UNORDERED);
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
    // The clone check does this before the daemon starts.
    rmSync(join(node.root, '/var/lib/kubelet'), { recursive: true });
    node.put('/etc/hostname', 'clone\n');

    const clone = openNodeStore({ ...node.deps(), vmId: 'clone' });
    expect(kindAndCode(await clone.forget())).toEqual(['unchanged', 'clone/new-identity']);
    expect(clone.slots()).toEqual({ bad: [] });
    expect([clone.active(), clone.listGenerations()]).toEqual([undefined, []]);
    expect(readdirSync(join(node.root, STORE)).sort()).toEqual(['generations', 'state']);
    expect(readdirSync(join(node.root, STORE, 'generations'))).toEqual([]);
    expect(kindAndCode(await clone.recover())).toEqual(['unchanged', 'ok/nothing-to-do']);
    expect(kindAndCode(await clone.forget())).toEqual(['unchanged', 'ok/nothing-to-do']);

    const { instance } = A.facts;
    const own = { ...A, hash: 'own', facts: { ...A.facts, instance: { ...instance, computerName: 'node-2' } } };
    const outcome = await clone.apply(own, UNORDERED);
    expect([outcome.kind, outcome.slots.watch?.backTo]).toEqual(['applied', undefined]);
    expect(node.text('/etc/hostname')).toBe('node-2\n');
    expect(openNodeStore(node.deps()).slots().active?.vmId).toBe('clone');
  });
});
