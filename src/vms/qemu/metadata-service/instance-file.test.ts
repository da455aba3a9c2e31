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
  it('takes a whole instance, and one without what may be absent', () => {
    const { userData, ...without } = anInstance;
    expect(parseInstanceFile(JSON.stringify(anInstance), 'a')).toEqual(anInstance);
    expect(checkInstance({ ...without, zone: '2' }, 'a')).toEqual({ ...without, zone: '2' });
  });

  it('names every problem at once, with its path', () => {
    const { pool, ...rest } = anInstance;
    const message = refusal(
      JSON.stringify({ ...rest, vmId: rest.vmId.toUpperCase(), userData: 'not base64!', name: 'a b', image: {}, x: 1 }),
    );
    for (const part of ['pool', 'vmId: must be lower case', 'userData', 'name: is not a host name', 'image', 'x']) {
      expect(message).toContain(part);
    }
  });

  it('says so when it is not JSON', () => {
    expect(refusal('{')).toContain('metadata.json is not JSON');
  });
});
