import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { run } from '../testing.ts';
import { fileHint, splitInputs } from './input-words.ts';

const BUNDLE = fileURLToPath(new URL('../../boot/fixtures/boots/first-boot.tar.gz', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'headstart-input-words-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'boot.txt');
const unitFile = join(folder, 'kubelet.service');
for (const path of [file, unitFile]) writeFileSync(path, '');

const inFolder = <T>(act: () => T): T => {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return act();
  } finally {
    process.chdir(before);
  }
};

describe('splitInputs', () => {
  it.each([
    [['kubelet.service', file], ['kubelet.service'], [file]],
    [[file, 'node-ready'], ['node-ready'], [file]],
    [['-', folder], [], ['-', folder]],
    [['cloud-*', 'kubelet'], ['cloud-*', 'kubelet'], undefined],
    [[''], [''], undefined],
  ])('%j: the names are %j, the inputs %j', (words, names, input) => {
    expect(splitInputs(words, {})).toEqual({ names, options: input ? { input } : {} });
  });

  it('adds the inputs to those of -i, and does not change the options it got', () => {
    const typed = { input: ['a.log'] };
    expect(splitInputs([file], typed).options.input).toEqual(['a.log', file]);
    expect(typed.input).toEqual(['a.log']);
  });

  it('takes the name of a unit as the unit, even if a file in the current folder has it; ./NAME is the file', () => {
    inFolder(() => {
      expect(splitInputs(['kubelet.service', 'boot.txt'], {})).toEqual({
        names: ['kubelet.service'],
        options: { input: ['boot.txt'] },
      });
      expect(splitInputs(['./kubelet.service'], {}).options).toEqual({ input: ['./kubelet.service'] });
      expect(fileHint('kubelet.service')).toBe('; ./kubelet.service is the file of that name');
    });
  });

  it.each(['boot.tgz', './kubelet.service', 'some/folder'])('says that %s is no file and no unit', (word) => {
    expect(() => splitInputs([word], {})).toThrow(
      `cannot read ${word}: no such file, and it is not the name of a unit or milestone`,
    );
  });
});

describe('a word that is neither a file nor a unit', () => {
  it.each([
    ['boot chain', 'this boot has no unit and no milestone cloud-int (did you mean cloud-init'],
    ['boot systemd critical-chain', 'cloud-int is not among the'],
  ])('%s names the nearest unit and says that there is no such file', async (line, words) => {
    const { code, stderr } = await run([...line.split(' '), 'cloud-int', BUNDLE]);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr.replace(/\s+/g, ' ')).toContain('and there is no such file');
    expect(stderr).toMatch(new RegExp(`next: {2}headstart ${line} cloud-init\\S* \\S*first-boot`));
  });

  it('boot chain refuses two targets', async () => {
    const { code, stderr } = await run(['boot', 'chain', 'node-ready', 'kubelet', BUNDLE]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('expected one target') });
  });
});

describe('the word after an option whose value can be omitted', () => {
  it.each([
    ['what-if', '--scan', 2, 'cannot read FILE: it does not exist'],
    ['systemd blame', '--json', 2, 'cannot read FILE: it does not exist'],
    ['systemd plot', '--json', 2, 'cannot read FILE: it does not exist'],
    ['systemd time', '--compat', 2, 'cannot read FILE: it does not exist'],
    ['cloud-init blame', '--compat', 1, 'Cannot open file FILE'],
  ])('is a file, also if it does not exist, for boot %s %s', async (verb, option, code, text) => {
    for (const file of ['nosuch.tar.gz', './nosuch', 'nosuch/folder']) {
      const ran = await run(['boot', ...verb.split(' '), option, file]);
      expect(ran, file).toMatchObject({ code, stderr: expect.stringContaining(text.replace('FILE', file)) });
    }
  });
});
