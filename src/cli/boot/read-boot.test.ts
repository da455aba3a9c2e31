import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { run, testDeps } from '../testing.ts';
import { throwWithStdinHint } from './read-boot.ts';

const first = fileURLToPath(new URL('../../boot/fixtures/boots/first-boot.tar.gz', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'headstart-read-boot-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the inputs of boot verbs', () => {
  it.each([
    ...['timeline', 'blame', 'chain', 'what-if --scan', 'export', `record --dir ${folder} --dry-run`],
    ...['systemd time', 'systemd blame', 'systemd critical-chain', 'systemd plot --json', 'systemd dot'],
    ...['systemd time --compat', 'systemd critical-chain --compat', 'chain cloud-final.service'],
    ...['cloud-init show', 'cloud-init blame', 'cloud-init dump', 'cloud-init boot', 'cloud-init show --compat'],
  ])('boot %s accepts files as arguments, like -i', async (line) => {
    const named = await run(['boot', ...line.split(' '), '-i', first]);
    expect(named.code).toBe(0);
    expect(await run(['boot', ...line.split(' '), first])).toEqual(named);
  });

  it.each(['chain', 'systemd critical-chain'])('boot %s takes - for standard input', async (line) => {
    const stdin = 'a.target @3s\n└─b.service @1s +2s\n';
    const named = await run(['boot', ...line.split(' '), '-i', '-'], { stdin });
    expect(named).toMatchObject({ code: 0, stdout: expect.stringContaining('b.service') });
    expect(await run(['boot', ...line.split(' '), '-'], { stdin })).toEqual(named);
  });

  it('of a document with several listings are chosen by name, and a note lists the names', async () => {
    const document = join(folder, 'nodes.md');
    writeFileSync(document, '## Before\n9s slow.service\n1s a.service\n## After\n3s slow.service\n2s a.service\n');
    const last = await run(['boot', 'blame', document]);
    expect(last.stderr).toContain("choose one with --boot NAME or N: -1 ('Before'), 0 ('After')");
    expect(last.stdout).toContain('3s');
    const before = await run(['boot', 'blame', document, '--boot', 'before']);
    expect(before).toMatchObject({ code: 0, stdout: expect.stringContaining('9s') });
    expect(before.stderr).not.toContain('choose one');
  });

  it('accept arguments and -i together', async () => {
    const lines = join(folder, 'notes.txt');
    writeFileSync(lines, 'milk\n');
    const { code, stderr } = await run(['boot', 'timeline', first, '-i', lines]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('notes.txt') });
  });

  it.each([
    ['a pipe or a file is on standard input', true, 'add -i - to read standard input, or start systemd'],
    ['standard input is a terminal', false, 'start systemd'],
  ])('on a machine without boot data, when %s, the next step is "%s"', (_when, isStdinGiven, next) => {
    const error = new UserError('nothing here', { code: 'boot/no-live-boot', next: 'start systemd', exitCode: 1 });
    const { deps } = testDeps({});
    const failed = caught(() => throwWithStdinHint(error, { ...deps, isStdinGiven: () => isStdinGiven }));
    expect(failed).toMatchObject({ message: 'nothing here', code: 'boot/no-live-boot', next, exitCode: 1 });
  });
});

function caught(fail: () => void): unknown {
  try {
    fail();
  } catch (error) {
    return error;
  }
  return undefined;
}
