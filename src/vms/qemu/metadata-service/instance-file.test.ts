import { describe, expect, it } from 'vitest';
import { checkInstance, parseInstanceFile } from './instance-file.ts';
import { anInstance } from './testing.ts';

const refusal = (text: string): string => {
  try {
    parseInstanceFile(text, 'metadata.json');
    return 'nothing to refuse';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('parseInstanceFile', () => {
  it('accepts an instance with and without optional fields', () => {
    const { userData, ...without } = anInstance;
    expect(parseInstanceFile(JSON.stringify(anInstance), 'a')).toEqual(anInstance);
    expect(checkInstance({ ...without, zone: '2' }, 'a')).toEqual({ ...without, zone: '2' });
  });

  it('reports all problems at once, each with its path', () => {
    const { pool, ...rest } = anInstance;
    const message = refusal(
      JSON.stringify({ ...rest, vmId: rest.vmId.toUpperCase(), userData: 'not base64!', name: 'a b', image: {}, x: 1 }),
    );
    for (const part of ['pool', 'vmId: must be lower case', 'userData', 'name: is not a host name', 'image', 'x']) {
      expect(message).toContain(part);
    }
  });

  it('reports a file that is not JSON', () => {
    expect(refusal('{')).toContain('metadata.json is not JSON');
  });
});
