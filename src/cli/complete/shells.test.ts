import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../testing.ts';
import { completionHome } from './testing.ts';

const at = completionHome();

describe('the reply for each shell', () => {
  const request = async (...argv: string[]) => (await run(['__complete', ...argv])).stdout.trimEnd().split('\n');

  it('bash gets only matching values, quoted for the line', async () => {
    const line = 'headstart boot export --format=ch';
    expect(await request('bash', line, 'ch', '--', 'headstart', 'boot', 'export', '--format', '=', 'ch')).toEqual([
      'values',
      'chrome-trace',
    ]);
  });

  it('zsh gets escaped colons and backslashes, and the length of the prefix before the value', async () => {
    const config = join(at.home, 'kubeconfig');
    expect(await request('zsh', '--', 'prototype', 'run', '--kubeconfig', config, '--context', '')).toEqual([
      'values 0',
      String.raw`arn\:aws\:eks\:x:cluster prod`,
      String.raw`a\\b`,
    ]);
    expect((await request('zsh', '--', 'boot', 'export', '--format=ch'))[0]).toBe('values 9');
  });

  it('no shell gets a control character of a name', async () => {
    at.put('pools/pool1/pool.json', { spec: { image: { id: 'a\u001b[31m\tb\nc' } } });
    expect(await at.lines(['pool', 'show', ''])).toEqual([
      'values',
      'gpu\t1 instance',
      'pool1\t2 instances of a\ufffd[31m\ufffdb\ufffdc',
    ]);
  });
});
