// Calls the hidden verb like the completion scripts do.
import { describe, expect, it } from 'vitest';
import { run } from '../testing.ts';

describe('headstart __complete', () => {
  const request = async (...argv: string[]) => (await run(['__complete', ...argv])).stdout.trimEnd().split('\n');

  it('leaves the completion of files to the shell', async () => {
    for (const words of [
      ['boot', 'export', '-i', ''],
      ['boot', 'compare', ''],
      ['node', 'check', ''],
    ])
      expect(await request('fish', '--', ...words)).toEqual(['files']);
    expect(await request('fish', '--', 'pool', 'list', '--home', '')).toEqual(['folders']);
  });

  it.each([[[]], [['tcsh', '--', '']], [['bash']], [['fish', '--']]])('answers %j without an error', async (argv) => {
    expect(await run(['__complete', ...argv])).toMatchObject({ code: 0, stderr: '' });
  });
});
