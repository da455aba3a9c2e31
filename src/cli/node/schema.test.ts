import { describe, expect, it } from 'vitest';
import { run } from '../testing.ts';
import { parseApiVersion } from './schema.ts';

describe('headstart node schema', () => {
  it('prints the JSON Schema of a version', async () => {
    const { code, stdout } = await run(['node', 'schema']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveProperty('properties.spec');
  });

  it('lists only the fields with the word in their path, in any case', async () => {
    const { stdout } = await run(['node', 'schema', '--fields', 'KUBELET', '--json']);
    const { fields } = JSON.parse(stdout) as { fields: { path: string }[] };
    expect(fields.length).toBeGreaterThan(0);
    for (const { path } of fields) expect(path.toLowerCase()).toContain('kubelet');
  });

  it('does not cut the schema: a word needs --fields', async () => {
    expect(await run(['node', 'schema', 'kubelet'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("'kubelet' goes with --fields"),
    });
  });
});

describe('parseApiVersion', () => {
  it('takes a version with or without its group, and names the known ones for any other', () => {
    expect(parseApiVersion('v1')).toBe('headstart.dev/v1');
    expect(parseApiVersion('headstart.dev/v1')).toBe('headstart.dev/v1');
    for (const text of ['v0', 'other.dev/v1', '']) {
      expect(() => parseApiVersion(text)).toThrow(expect.objectContaining({ code: 'node/bad-api-version' }));
    }
  });
});
