import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addSmallNode, createFakeMachine, type FakeMachine } from '../../boot/collect/testing.ts';
import { run } from '../testing.ts';
import { hostOf } from './host-options.ts';

let fake: FakeMachine;
const folder = mkdtempSync(join(tmpdir(), 'host-'));
beforeAll(() => {
  fake = createFakeMachine();
  addSmallNode(fake, { secret: 'hunter22' });
  fake.addProgram('ssh', '[ "$1 $2 $3" = "-T -- me@node" ] || exit 255\nshift 3\nexec sh -c "$*"');
  fake.writeFile(
    'var/log/cloud-init.log',
    '2026-11-15 21:08:50,104 - handlers.py[DEBUG]: start: init-local: searching for local datasources\n' +
      '2026-11-15 21:08:51,104 - handlers.py[DEBUG]: finish: init-local: SUCCESS: searching for local datasources\n',
  );
});
afterAll(() => {
  fake.remove();
  rmSync(folder, { recursive: true });
});

const over = (...argv: string[]) => run(argv, { env: fake.env });

describe('--host', () => {
  it.each([
    [['boot', 'timeline', '-H', 'me@node'], '9s until startup-finished'],
    [['boot', 'blame', '--host', 'me@node'], 'a.service'],
    [['boot', 'chain', '--host', 'me@node'], 'startup-finished'],
    [['boot', 'what-if', '--host', 'me@node', '--mask', 'a.service'], 'a.service'],
    [['boot', 'export', '--host', 'me@node', '--format', 'csv'], 'systemd:a.service'],
    [['boot', 'report', '--host', 'me@node', '-o', '-'], '<!doctype html>'],
    [['boot', 'systemd', 'time', '--host', 'me@node'], 'Startup finished'],
    [['boot', 'systemd', 'blame', '-H', 'me@node'], 'a.service'],
    [['boot', 'systemd', 'plot', '-H', 'me@node'], '<svg'],
    [['boot', 'cloud-init', 'show', '-H', 'me@node'], 'init-local'],
    [['boot', 'cloud-init', 'blame', '-H', 'me@node'], '-- Boot Record'],
    [['boot', 'cloud-init', 'boot', '-H', 'me@node'], 'cloud-init start: 2026-11-15 21:08:50'],
    [['boot', 'record', '--host', 'me@node', '--dir', folder], folder],
  ])('is read by headstart %j', async (argv, text) => {
    const { code, stdout, stderr } = await over(...argv);
    expect(code, stderr).toBe(0);
    expect(stdout.toLowerCase()).toContain(text.toLowerCase());
    expect(stdout + stderr).not.toContain('hunter22');
    expect(readdirSync(fake.env.TMPDIR)).toEqual([]);
  });

  it('can be checked, and compared with a file', async () => {
    const bundle = join(folder, 'bundle.tar.gz');
    expect((await over('boot', 'collect', '-H', 'me@node', '-o', bundle)).code).toBe(0);
    const compared = await over('boot', 'compare', bundle, '-H', 'me@node');
    expect([compared.code, compared.stdout]).toEqual([
      0,
      expect.stringContaining('startup-finished: 9s → 9s, the same'),
    ]);
    const checked = await over('boot', 'check', '-H', 'me@node', '--against', bundle);
    expect(checked).toMatchObject({ code: 2, stderr: expect.stringContaining('no boot other than the checked one') });
  });

  it.each([
    [['boot', 'timeline', 'x.tar.gz', '--host', 'me@node'], 'exclude each other'],
    [['boot', 'timeline', '--host', '-oProxyCommand=id'], 'boot/bad-host'],
    [['boot', 'timeline', '--sudo'], '--sudo is for --host'],
    [['boot', 'compare', 'a', 'b', '--host', 'me@node'], 'another one is given'],
    [['boot', 'cloud-init', 'show', '-i', 'x', '--host', 'me@node'], 'exclude each other'],
    [['boot', 'record', '--install', '--host', 'me@node'], 'work on this machine only'],
  ])('refuses %j', async (argv, text) => {
    const { code, stdout, stderr } = await over(...argv);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(text)]);
  });

  it('reports what ssh says', async () => {
    const { code, stderr } = await over('boot', 'timeline', '--host', 'other');
    expect([code, stderr]).toEqual([1, expect.stringContaining('could not collect from other')]);
  });
});

it('hostOf is empty without --host', () => expect(hostOf({}, { env: {} })).toEqual({}));
