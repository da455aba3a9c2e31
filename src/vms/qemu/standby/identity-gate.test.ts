import { existsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { InstanceRef } from '../../pools.ts';
import type { GuestAgent } from '../guest/guest-agent.ts';
import { instanceRecordOf, poolRecordOf, writeInstanceRecord } from '../home/instance-records.ts';
import { instanceFiles, instanceFolder } from '../home/layout.ts';
import { NotAnswering } from '../machine/line-socket.ts';
import { type Lab, makeLab, poolSpec, publishEmpty, standInCluster } from '../testing.ts';
import { requireDistinct } from './identity-gate.ts';
import { readKeptIdentity } from './identity-record.ts';

let lab: Lab;
afterEach(() => lab.end());

/** Instance → the lines that its guest prints; absent: it does not answer. */
type Guests = Map<string, Record<string, string>>;

const digits = (text: string, length: number) => Buffer.from(text.padEnd(length, '.')).toString('hex').slice(0, length);
const itemsOf = (id: string): Record<string, string> => ({
  'machine-id': digits(id.split('').reverse().join(''), 32),
  'boot-id': `${digits(id.split('').reverse().join(''), 32)}0000`,
  'host-name': id,
  'random-bytes': digits(id, 64),
});

/** A pool with so many instances that run, each with its own identity. */
async function makePool(
  count: number,
  cluster?: string,
): Promise<{ refs: InstanceRef[]; guests: Guests; asked: string[] }> {
  const guests: Guests = new Map();
  const asked: string[] = [];
  const agent: GuestAgent = {
    talk: async (folder, _, work) => {
      const id = basename(folder);
      return work(async (command) => {
        const items = guests.get(id);
        if (!items) throw new NotAnswering('no agent');
        if (command === 'guest-exec') return { pid: asked.push(id) };
        const lines = Object.entries(items).map(([item, value]) => `${item}\t\t${value}\n`);
        const output = items.broken ?? `headstart-identity 1\n${lines.join('')}end\n`;
        return { exited: true, exitcode: 0, 'out-data': Buffer.from(output).toString('base64') };
      });
    },
    shutDown: async () => undefined,
  };
  lab = makeLab({ agent, joinCluster: standInCluster(), checkStandby: (ref) => requireDistinct(lab.context, ref, {}) });
  const pool = await lab.provider.pools.createPool(
    poolSpec(await publishEmpty(lab), { ...(cluster !== undefined && { cluster }) }),
  );
  const made = await lab.provider.pools.setCapacity(pool.ref, count);
  for (const { ref } of made) guests.set(ref.id, itemsOf(ref.id));
  return { refs: made.map(({ ref }) => ref), guests, asked };
}

const folderOf = (ref: InstanceRef) => instanceFolder(lab.context.home, ref);
const gate = (ref: InstanceRef) => requireDistinct(lab.context, ref, {});

describe('the gate before an instance is parked', () => {
  it('passes a distinct one and keeps what identifies it', async () => {
    const { refs } = await makePool(2);
    await gate(refs[0]!);
    expect(readKeptIdentity(folderOf(refs[0]!))?.identity.facts['host-name']).toEqual({
      values: [{ value: refs[0]!.id }],
    });
    expect(existsSync(join(folderOf(refs[1]!), instanceFiles.identity))).toBe(false);
  });

  it.each(['machine-id', 'boot-id', 'host-name', 'random-bytes'])('refuses a shared %s, by name', async (item) => {
    const { refs, guests } = await makePool(2);
    const [a, b] = refs as [InstanceRef, InstanceRef];
    guests.get(b.id)![item] = guests.get(a.id)![item]!;
    await expect(gate(b)).rejects.toMatchObject({ code: 'vms/not-distinct', message: expect.stringContaining(a.id) });
    expect(existsSync(join(folderOf(b), instanceFiles.identity))).toBe(false);
  });

  it('compares with a parked instance, which cannot be asked', async () => {
    const { refs, guests, asked } = await makePool(2);
    const [a, b] = refs as [InstanceRef, InstanceRef];
    await gate(a);
    lab.machines.states.clear();
    guests.get(b.id)!['machine-id'] = guests.get(a.id)!['machine-id']!;
    guests.delete(a.id);
    asked.length = 0;
    await expect(gate(b)).rejects.toThrow(`${a.id} and ${b.id} share the machine-id`);
    expect(asked).toEqual([b.id]);
  });

  it('asks an instance again that has started since its facts were kept', async () => {
    const { refs, guests } = await makePool(2);
    const [a, b] = refs as [InstanceRef, InstanceRef];
    await gate(a);
    const later = { ...instanceRecordOf(lab.context.home, a), startedMs: lab.context.clock.nowMs() + 1000 };
    writeInstanceRecord(lab.context.home, poolRecordOf(lab.context.home, a.pool), later);
    guests.get(a.id)!['machine-id'] = guests.get(b.id)!['machine-id']!;
    await expect(gate(b)).rejects.toThrow('share the machine-id');
  });

  it('does not wait for an instance that does not answer', async () => {
    const { refs, guests } = await makePool(2);
    guests.delete(refs[0]!.id);
    await gate(refs[1]!);
  });

  it('does not blame an instance for what two others share', async () => {
    const { refs, guests } = await makePool(3);
    const [a, b, c] = refs as [InstanceRef, InstanceRef, InstanceRef];
    guests.get(b.id)!['machine-id'] = guests.get(a.id)!['machine-id']!;
    await gate(c);
  });

  it('refuses what it cannot read: a required item, or the answer of the guest', async () => {
    const { refs, guests } = await makePool(1);
    const [a] = refs as [InstanceRef];
    const { 'machine-id': _, ...rest } = itemsOf(a.id);
    guests.set(a.id, rest);
    await expect(gate(a)).rejects.toThrow(`the machine-id of ${a.id} is unknown: not found on the machine`);
    guests.set(a.id, { broken: 'sh: not found' });
    await expect(gate(a)).rejects.toThrow('did not run the script to its end');
  });

  it('requires a kubelet certificate in a pool of a cluster', async () => {
    const { refs } = await makePool(1, 'lab');
    await expect(gate(refs[0]!)).rejects.toThrow('the kubelet-key of');
  });

  it('discards the instance that is being prepared, and the pool says why', async () => {
    const { refs, guests } = await makePool(1, 'lab');
    const { pool, id } = refs[0]!;
    const next = id.replace(/1$/, '2');
    guests.set(next, itemsOf(next));
    await lab.provider.standby.setStandby(pool, { counts: { paused: 0, frozen: 1, stopped: 0 } });
    await expect(lab.provider.standby.fillStandby(pool)).rejects.toThrow(`the kubelet-key of ${next} is unknown`);
    expect(await lab.provider.standby.readStandby(pool)).toMatchObject({
      members: [],
      trouble: expect.stringContaining(`the kubelet-key of ${next} is unknown`),
    });
    expect(existsSync(folderOf({ pool, id: next }))).toBe(false);
  });

  it('asks again when another version wrote the kept facts', async () => {
    const { refs } = await makePool(2);
    writeFileSync(join(folderOf(refs[0]!), instanceFiles.identity), '{"takenMs": 1}');
    await gate(refs[1]!);
  });
});
