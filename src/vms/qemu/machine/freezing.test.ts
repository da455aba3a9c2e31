import { lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../../base/fake-clock.ts';
import { instanceFiles } from '../home/layout.ts';
import { freezing } from './freezing.ts';
import { NotAnswering } from './line-socket.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-freezing-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

type Answer = (args: Record<string, unknown>) => unknown;

/** QEMU with these answers; every other command succeeds. */
function qemu(answers: Readonly<Record<string, Answer>> = {}, exits = true) {
  const clock = fakeClock();
  const sent: string[] = [];
  const orders = freezing(
    clock,
    async () => exits,
    async (_folder, command, args = {}) => {
      sent.push(command);
      return answers[command]?.(args) ?? {};
    },
  );
  return { orders, clock, sent, machine: { folder, vmId: 'x' } };
}

const file = (name: keyof typeof instanceFiles) => join(folder, instanceFiles[name]);
/** Writes the state like the command that QEMU starts. */
const migrate: Answer = () => {
  writeFileSync(file('devices'), 'state');
  writeFileSync(file('devicesSaved'), '');
};
/** One after the other; the last one stays. */
function states(...statuses: object[]): Answer {
  return () => (statuses.length > 1 ? statuses.shift() : statuses[0]);
}

describe('freeze', () => {
  it('pauses the guest, writes its state to a private file, and ends the process', async () => {
    const { orders, sent, machine } = qemu({
      migrate,
      'query-migrate': states({}, { status: 'setup' }, { status: 'active' }, { status: 'completed' }),
    });
    await orders.freeze(machine);
    expect(sent.filter((command) => command !== 'query-migrate')).toEqual([
      'stop',
      'migrate-set-capabilities',
      'migrate-set-parameters',
      'migrate',
      'quit',
    ]);
    expect(readFileSync(file('devices'), 'utf8')).toBe('state');
    expect(statSync(file('devices')).mode & 0o777).toBe(0o600);
    expect(lstatSync(file('devicesSaved'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('succeeds when QEMU exits before it answers', async () => {
    const quit = () => {
      throw new NotAnswering('hung up');
    };
    const { orders, machine } = qemu({ migrate, quit, 'query-migrate': states({ status: 'completed' }) });
    await orders.freeze(machine);
  });

  it('replaces a planted link and a file that others could read', async () => {
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'precious', { mode: 0o644 });
    symlinkSync(victim, file('devices'));
    const { orders, machine } = qemu({ migrate, 'query-migrate': states({ status: 'completed' }) });
    await orders.freeze(machine);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(lstatSync(file('devices')).isFile()).toBe(true);
    expect(lstatSync(file('devices')).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['that QEMU could not write', { status: 'failed', 'error-desc': 'Broken pipe' }, 'Broken pipe'],
    ['that was cancelled', { status: 'cancelled' }, 'cancelled'],
    ['that takes longer than a minute', { status: 'active' }, 'QEMU did not finish writing'],
  ])('refuses a state %s', async (_what, status, why) => {
    const { orders, machine, clock, sent } = qemu({ migrate, 'query-migrate': states(status) });
    await expect(orders.freeze(machine)).rejects.toMatchObject({
      code: 'vms/not-frozen',
      message: expect.stringContaining(why),
    });
    expect(clock.sleptMs).toBeLessThanOrEqual(60_000);
    expect(sent).not.toContain('quit');
  });

  it('refuses a state of which the end is missing because the disk is full, also after an earlier freeze', async () => {
    writeFileSync(file('devicesSaved'), '');
    const cut: Answer = () => writeFileSync(file('devices'), 'sta');
    const { orders, machine } = qemu({ migrate: cut, 'query-migrate': states({ status: 'completed' }) });
    await expect(orders.freeze(machine)).rejects.toThrow('its state was not written to the end');
  });

  it('fails when the process does not exit', async () => {
    const { orders, machine } = qemu({ migrate, 'query-migrate': states({ status: 'completed' }) }, false);
    await expect(orders.freeze(machine)).rejects.toThrow('QEMU did not exit');
  });

  it('stops waiting when aborted', async () => {
    const { orders, machine } = qemu({ 'query-migrate': states({ status: 'active' }) });
    await expect(orders.freeze(machine, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});

describe('load', () => {
  it('returns when the guest is paused', async () => {
    const { orders, machine, sent } = qemu({
      'query-status': states({ status: 'inmigrate' }, { status: 'inmigrate' }, { status: 'paused' }),
    });
    await orders.load(machine);
    expect(sent.slice(0, 2)).toEqual(['migrate-set-capabilities', 'migrate-incoming']);
  });

  it('ends after 20 s when QEMU reads an empty file for ever', async () => {
    const { orders, machine, clock } = qemu({ 'query-status': states({ status: 'inmigrate' }) });
    await expect(orders.load(machine)).rejects.toMatchObject({
      code: 'vms/not-loaded',
      message: expect.stringContaining('still loading after 20 s'),
    });
    expect(clock.sleptMs).toBe(20_000);
  });

  it.each(['running', 'internal-error', 'shutdown'])('refuses a guest that is %s', async (status) => {
    const { orders, machine } = qemu({ 'query-status': states({ status }) });
    await expect(orders.load(machine)).rejects.toThrow(`it is ${status}`);
  });
});

describe('pause, resume and build', () => {
  it('send one command each', async () => {
    const version = (build: string) => ({ qemu: { major: 7, minor: 2, micro: 22 }, package: build });
    const { orders, machine, sent } = qemu({
      'query-version': states(version(' (Debian 1:7.2+dfsg-7)'), version('')),
    });
    await orders.pause(machine);
    await orders.resume(machine);
    expect(sent).toEqual(['stop', 'cont']);
    expect(await orders.build(machine)).toContain('7.2.22 (');
    expect(await orders.build(machine)).toBe('7.2.22');
  });
});
