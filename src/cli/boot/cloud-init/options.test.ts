import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { report, stageLog, stampAt } from '../../../boot/compat/cloud-init/testing.ts';
import { run, runVerb } from '../../testing.ts';
import { verb as blame } from './blame.ts';
import { verb as boot } from './boot.ts';
import { verb as dump } from './dump.ts';
import { verb as show } from './show.ts';

const verbs = { show, blame, dump, boot };
const golden = fileURLToPath(new URL('../../../boot/fixtures/boots/first-boot.tar.gz', import.meta.url));
const log = stageLog('init-local', 0) + stageLog('init-network', 10);
let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloud-init-verbs-'));
  file = join(folder, 'cloud-init.log');
  writeFileSync(file, log);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the cloud-init verbs', () => {
  it.each(['show', 'blame', 'dump'] as const)(
    '%s prints the same for a file, standard input and the long option',
    async (name) => {
      const fromFile = await runVerb(verbs[name], ['-i', file]);
      expect(fromFile).toMatchObject({ code: 0, stderr: '' });
      expect(await runVerb(verbs[name], ['-i', '-'], { stdin: log })).toEqual(fromFile);
      expect(await runVerb(verbs[name], ['--infile', file])).toEqual(fromFile);
      expect(await runVerb(verbs[name], ['--input', file])).toEqual(fromFile);
    },
  );

  it('join rotated logs, oldest first, compressed or not', async () => {
    const rotated = mkdtempSync(join(folder, 'rotated-'));
    const lines = log.split(/(?<=\n)/);
    writeFileSync(join(rotated, 'a-new.log'), lines.slice(3).join(''));
    writeFileSync(join(rotated, 'b-old.log.1.gz'), gzipSync(lines.slice(0, 3).join('').trimEnd()));
    expect((await runVerb(show, ['-i', rotated])).stdout).toBe((await runVerb(show, ['-i', file])).stdout);
    const both = ['-i', join(rotated, 'a-new.log'), '-i', join(rotated, 'b-old.log.1.gz')];
    expect((await runVerb(show, both)).stdout).toBe((await runVerb(show, ['-i', file])).stdout);
  });

  it('write to --outfile, and report if they cannot', async () => {
    const out = join(folder, 'out.txt');
    expect(await runVerb(show, ['-i', file, '-o', out])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(readFileSync(out, 'utf8')).toContain('2 boot records'.replace('2', '1'));
    expect((await runVerb(show, ['-i', file, '-o', join(folder, 'no', 'x')])).stderr).toContain(
      'code:  boot/output-unwritable',
    );
  });

  it('print microseconds with --json', async () => {
    const result = async (name: keyof typeof verbs) =>
      JSON.parse((await runVerb(verbs[name], ['-i', golden, '--json'])).stdout);
    expect(await result('show')).toMatchObject({
      kind: 'CloudInitShow',
      boots: [{ totalUs: 29_199_000, version: '22.4.2' }],
    });
    expect((await result('blame')).boots[0].blame[0]).toMatchObject({
      name: 'modules-final/config-scripts-user',
      ownUs: 14_668_000,
    });
    expect((await result('dump')).events[0]).toMatchObject({ kind: 'banner', upUs: 51_070_000 });
  });

  it('edge case 18: say what they expected if there are no events', async () => {
    const { code, stdout, stderr } = await runVerb(show, ['-i', '-'], { stdin: 'nothing of the kind\n' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('no cloud-init events in standard input: expected');
    const bare = await runVerb(show, ['-i', '-'], { stdin: '' });
    expect(bare.stderr).toContain('an empty file');
  });

  it('print no control characters', async () => {
    const stdin = stageLog('init-local', 0).replace('ran successfully', 'ran \u001b[2J');
    expect((await runVerb(show, ['-i', '-'], { stdin })).stdout).not.toContain('\u001b');
  });

  it('throw only user errors, for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(show, blame, dump, boot), fc.string({ maxLength: 200 }), async (verb, stdin) => {
        expect((await runVerb(verb, ['-i', '-'], { stdin })).code).not.toBe(70);
      }),
      { numRuns: 50 },
    );
  });
});

describe('--compat', () => {
  it('prints one line with the reason, and exits 1 where the tool crashes', async () => {
    const stdin = `${report('x', 'start: init-local/a: a')}${report(stampAt(0), 'finish: init-local: SUCCESS: x')}`;
    const { stdout, stderr, code } = await runVerb(show, ['-i', '-', '--compat=22.4'], { stdin });
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toMatch(/^cloud-init analyze 22\.4 crashes here: .*\n$/);
  });

  it('reports skipped entries', async () => {
    const stdin = `${stageLog('init-local', 0)}a,b,c - handlers.py[DEBUG]: start: x: y\n`;
    expect((await runVerb(dump, ['-i', '-', '--compat'], { stdin })).stderr).toBe('Skipping invalid entry\n');
  });

  it('reports unreadable and empty files in the tool’s words', async () => {
    const missing = join(folder, 'missing.log');
    for (const verb of [show, boot]) {
      const ran = await runVerb(verb, ['-i', missing, '--compat']);
      expect(ran).toEqual({ code: 1, stdout: '', stderr: `Cannot open file ${missing}\n` });
    }
    expect(await runVerb(show, ['-i', '-', '--compat'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Empty file <stdin>\n',
    });
    const noOutput = await runVerb(show, ['-i', file, '-o', join(folder, 'no', 'x'), '--compat']);
    expect(noOutput).toMatchObject({ code: 1, stdout: '' });
    expect(noOutput.stderr).toMatch(/^Cannot open file .*x\n$/);
  });
});

it('a log with unsupported compression gets the command that unpacks it', async () => {
  const stdin = 'BZh91AY&SY';
  const { code, stderr } = await run(['boot', 'cloud-init', 'blame', '-i', '-', '--json'], { stdin });
  expect(code).toBe(2);
  expect(stderr).toContain('next:  bzip2 -dc FILE | headstart boot cloud-init blame -i - --json\n');
});
