import { describe, expect, it } from 'vitest';
import { aDocument, aDocumentContext, anImage, bytesOf } from '../document/documents.testing.ts';
import { readAssignment } from './read-assignment.ts';

const { machine, nowMs } = aDocumentContext;
const image = anImage;
const instance = { platform: 'azure', vmId: 'vm-1', addresses: ['10.0.0.4'], tags: {} } as const;
const read = (document: Uint8Array, more: Parameters<typeof readAssignment>[2] = { nowMs }) =>
  readAssignment({ document, instance, origin: 'test' }, { image, machine }, more);

describe('readAssignment', () => {
  it('returns an assignment with the facts it was read with', async () => {
    const document = bytesOf(aDocument({}, { generation: 3 }));
    const result = await read(document);
    expect(result).toMatchObject({
      assignment: { document, origin: 'test', config: { generation: 3 }, facts: { instance, machine, image } },
    });
  });

  it('returns the first problem and the number of others', async () => {
    const one = await read(bytesOf(aDocument({ kubelet: { maxPods: 0 } })));
    expect(one).toMatchObject({ why: { code: 'config/invalid' } });
    expect('why' in one && one.why.detail).toMatch(/^spec\.kubelet\.maxPods: /);
    expect('why' in one && one.why.detail).not.toContain('more');
    const two = await read(bytesOf(aDocument({ kubelet: { maxPods: 0, podPidsLimit: 'x' } })));
    expect('why' in two && two.why.detail).toMatch(/, and 1 more$/);
  });

  it('returns the same hash for any formatting, and another hash for other content', async () => {
    const hashOf = async (document: Uint8Array) => {
      const result = await read(document);
      return 'assignment' in result ? result.assignment.hash : undefined;
    };
    const [first, second] = [aDocument({}, { generation: 3 }), aDocument({}, { generation: 4 })];
    const spaced = Buffer.from(JSON.stringify(first, null, 2));
    expect(await hashOf(bytesOf(first))).toBe(await hashOf(spaced));
    expect(await hashOf(bytesOf(first))).not.toBe(await hashOf(bytesOf(second)));
  });
});
