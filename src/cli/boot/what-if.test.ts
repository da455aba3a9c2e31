import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { run } from '../testing.ts';

const fixture = (path: string) => fileURLToPath(new URL(`../../boot/fixtures/${path}`, import.meta.url));
const SEED = fixture('seeds/cloud-final.critical-chain.txt');

describe('headstart boot what-if', () => {
  it('moves a kubelet from cloud-final to basic.target and saves 14.428 s', async () => {
    const edits = [
      ...['--add', 'kubelet.service After=cloud-final.service Took=2s', '--target', 'kubelet.service'],
      ...['--drop-after', 'kubelet.service cloud-final.service', '--after', 'kubelet.service basic.target'],
    ];
    const { code, stdout } = await run(['boot', 'what-if', '-i', SEED, ...edits]);
    expect(code).toBe(0);
    expect(stdout).toContain('before  47.632s\nafter   33.204s\nsaved   14.428s (30.3%)\n');
    expect(stdout).toContain('kubelet.service @31.204s +2s\n  └─basic.target @31.204s\n');
    expect(stdout).toContain('Assumption: ');
  });

  it('prints JSON on the clock of the record, with both zero points', async () => {
    const edits = ['--set', 'cloud-final.service=0s', '--set', 'cloud-config.service=0s'];
    const { stdout } = await run([
      'boot',
      'what-if',
      '-i',
      SEED,
      '--target',
      'cloud-final.service',
      ...edits,
      '--json',
    ]);
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({
      apiVersion: 'headstart.dev/v1',
      kind: 'WhatIf',
      target: 'cloud-final.service',
      clock: { zero: 'userspace', userspaceUs: 0 },
      before: { targetUs: 45_632_000, sinceUserspaceUs: 45_632_000 },
      after: { targetUs: 31_430_000 },
      savedUs: 14_202_000,
      edits: [
        { kind: 'set', unit: 'cloud-final.service', tookUs: 0 },
        { kind: 'set', unit: 'cloud-config.service', tookUs: 0 },
      ],
    });
    expect(answer.chain[0].unit).toBe('cloud-final.service');
    expect(answer.assumption).not.toBe('');
  });

  it('lists the edits that would save most, and each one saves what it says', async () => {
    const model = fixture('models/m1-handmade');
    const { stdout } = await run(['boot', 'what-if', '-i', model, '--scan', '5', '--json']);
    const { kind, candidates } = JSON.parse(stdout);
    expect(kind).toBe('WhatIfScan');
    expect(candidates.length).toBeGreaterThan(0);
    for (const { text, savedUs } of candidates) {
      const [option, value] = /^(\S+) '(.*)'$/.exec(text)!.slice(1);
      const made = JSON.parse((await run(['boot', 'what-if', '-i', model, option!, value!, '--json'])).stdout);
      expect([text, made.savedUs]).toEqual([text, savedUs]);
    }
    const { stdout: table } = await run(['boot', 'what-if', '-i', model, '--scan']);
    expect(table).toMatch(/SAVES +LEAVES +SURE +EDIT +RISK/);
  });

  it('shows the recorded boot without edits, and says that there are none', async () => {
    const { code, stdout } = await run(['boot', 'what-if', '-i', SEED]);
    expect(code).toBe(0);
    expect(stdout).toContain('saved   0\n');
    expect(stdout).toContain('No edits');
  });

  it.each([
    [['--mask', 'cloud-finel.service'], 'did you mean cloud-final.service'],
    [['--set', 'cloud-final.service=soon'], "'soon' is not a time span"],
    [['--after', 'sysinit.target cloud-final.service'], 'ordering cycle'],
    [['--scan', 'many'], 'not a number of edits to list, and there is no such file'],
    [['--scan', '2-boots'], 'not a number of edits to list, and there is no such file'],
    [['--scan', '0'], 'not a number of edits to list\n'],
  ])('refuses %j with exit 2 and one clear line', async (edit, text) => {
    const { code, stdout, stderr } = await run(['boot', 'what-if', '-i', SEED, ...edit]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(text);
    expect(stderr).toContain('code:  boot/');
  });
});
