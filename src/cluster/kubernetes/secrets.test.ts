import { describe, expect, it } from 'vitest';
import { Conflict, Forbidden } from '../../base/failures.ts';
import type { Client } from './connect.ts';
import { secretCalls } from './secrets.ts';

/** A cluster with room for one secret. */
function lab(refusal?: Error) {
  const calls: string[] = [];
  let stored: { data?: Record<string, string> } | undefined;
  const write = (verb: string) => async (given: { body: { data: Record<string, string> } }) => {
    calls.push(verb);
    if (refusal) throw refusal;
    if (verb === 'create' && stored) throw new Conflict('secret');
    stored = given.body;
  };
  const core = {
    readNamespacedSecret: async () => stored,
    createNamespacedSecret: write('create'),
    replaceNamespacedSecret: write('replace'),
    deleteNamespacedSecret: async () => {
      stored = undefined;
    },
  };
  const request = (_: unknown, ask: (options: object) => Promise<unknown>) => ask({});
  const client = { core, namespace: 'headstart', call: request, find: request } as unknown as Client;
  return { ...secretCalls(client), calls };
}

describe('a secret', () => {
  it('comes back as it was written, also over one that is there', async () => {
    const { writeSecret, readSecret, calls } = lab();
    await writeSecret('s', { a: 'ä\n' });
    await writeSecret('s', { b: '' });
    expect(await readSecret('s')).toEqual({ b: '' });
    expect(calls).toEqual(['create', 'create', 'replace']);
  });

  it('that is not there is none, also after it was deleted', async () => {
    const { writeSecret, readSecret, deleteSecret } = lab();
    expect(await readSecret('s')).toBeUndefined();
    await writeSecret('s', { a: 'b' });
    await deleteSecret('s');
    expect(await readSecret('s')).toBeUndefined();
  });

  it('is not written over when the right to make one is missing', async () => {
    const { writeSecret, calls } = lab(new Forbidden('create secrets'));
    await expect(writeSecret('s', {})).rejects.toBeInstanceOf(Forbidden);
    expect(calls).toEqual(['create']);
  });
});
