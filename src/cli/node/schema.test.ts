import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { run } from '../testing.ts';

describe('headstart node schema', () => {
  it('prints the JSON Schema that is published', async () => {
    for (const version of ['v1', 'v1alpha1']) {
      const { stdout } = await run(['node', 'schema', '--api-version', version]);
      const published = new URL(`../../../docs/schema/node-config-${version}.json`, import.meta.url);
      expect(stdout).toBe(readFileSync(published, 'utf8'));
    }
  });

  it('lists fields by a word in their path', async () => {
    const { stdout } = await run(['node', 'schema', '--fields', 'maxpods']);
    expect(stdout).toMatch(
      /^FIELD +TAKES +DEFAULT +WHAT\nspec\.kubelet\.maxPods +1 to 10000 or expression +Maximum number of pods/,
    );
  });

  it('exits 2 for an unknown version, and for a word without --fields', async () => {
    expect((await run(['node', 'schema', '--api-version', 'v9'])).code).toBe(2);
    expect((await run(['node', 'schema', 'kubelet'])).code).toBe(2);
  });
});

describe('the options of headstart node schema', () => {
  it.each(['v1', 'headstart.dev/v1'])('accept the version %s', async (version) => {
    expect((await run(['node', 'schema', '--api-version', version])).code).toBe(0);
  });

  it.each(['v2', 'headstart.dev/v9', 'other.dev/v1', ''])(
    'refuse the version %j and list the known versions',
    async (version) => {
      const { code, stdout, stderr } = await run(['node', 'schema', '--api-version', version]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('headstart.dev/v1');
    },
  );

  it('refuse a word without --fields', async () => {
    expect(await run(['node', 'schema', 'kubelet'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('needs --fields'),
    });
  });
});
