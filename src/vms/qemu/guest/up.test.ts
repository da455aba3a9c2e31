import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type FakeClock, fakeClock } from '../../../base/fake-clock.ts';
import type { InstanceRef } from '../../pools.ts';
import type { LocalExtension, PoolSpec } from '../local-provider.ts';
import { answeringAgent, type Lab, makeLab, poolSpec, publishEmpty, silentAgent } from '../testing.ts';

let lab: Lab & { clock: FakeClock };
afterEach(() => lab.end());

/** A guest in which systemd runs units. */
function systemdGuest(clock: FakeClock) {
  const guest = {
    isAnswering: true,
    system: 'running',
    units: new Map<string, string>(),
    ranScripts: [] as string[],
    failing: new Set<string>(),
    files: new Map<string, string>(),
  };
  const outcomes: string[] = [];
  let open = '';
  const exec = ([program, ...args]: string[]): string => {
    if (program === 'systemctl' && args[0] === 'is-system-running') return guest.system;
    if (program === 'systemctl' && args[0] === 'is-active') return guest.units.get(args.at(-1)!) ?? 'inactive';
    if (program === 'systemctl') {
      const state = guest.units.get(args.at(-1)!);
      return `LoadState=${state ? 'loaded' : 'not-found'}\nActiveState=${state ?? 'inactive'}\nResult=exit-code\nExecMainStatus=1\n`;
    }
    if (program === 'systemd-run') {
      const unit = args.find((one) => one.startsWith('--unit='))!.slice('--unit='.length);
      guest.ranScripts.push(guest.files.get(args.at(-1)!)!);
      guest.units.set(unit, guest.failing.has(unit) ? 'failed' : 'active');
    }
    return '';
  };
  const agent = answeringAgent({
    'guest-ping': () => ({}),
    'guest-exec': ({ path, arg }) => ({ pid: outcomes.push(exec([String(path), ...(arg as string[])])) - 1 }),
    'guest-exec-status': ({ pid }) => ({
      exited: true,
      exitcode: 0,
      'out-data': Buffer.from(outcomes[pid as number]!).toString('base64'),
    }),
    'guest-file-open': ({ path }) => {
      open = String(path);
      return 1;
    },
    'guest-file-write': ({ 'buf-b64': text }) =>
      void guest.files.set(open, Buffer.from(String(text), 'base64').toString()),
    'guest-file-close': () => ({}),
  });
  const { talk } = agent;
  agent.talk = (folder, options, work) => {
    clock.advance(100);
    return guest.isAnswering ? talk(folder, options, work) : silentAgent.talk(folder, options, work);
  };
  return { agent, guest };
}

async function oneInstance(changes: Partial<PoolSpec> = {}) {
  const clock = fakeClock();
  const { agent, guest } = systemdGuest(clock);
  lab = { ...makeLab({ clock, agent }), clock };
  const { ref: pool } = await lab.provider.pools.createPool(poolSpec(await publishEmpty(lab), changes));
  const [made] = await lab.provider.pools.setCapacity(pool, 1);
  return { ref: made!.ref, guest };
}

const wait = (ref: InstanceRef) => lab.provider.guests.awaitUp(ref, { deadlineMs: 60_000 });

const extension = (name: string, after: string[] = []): LocalExtension => ({
  name,
  publisher: 'p',
  type: 't',
  after,
  script: `echo ${name}`,
});

describe('isUp', () => {
  it.each(['running', 'degraded'])('is true when systemd is %s', async (system) => {
    const { ref, guest } = await oneInstance();
    guest.system = system;
    expect(await lab.provider.guests.isUp(ref)).toBe(true);
    await wait(ref);
  });

  it.each(['starting', 'initializing', 'maintenance', 'stopping'])('is false when systemd is %s', async (system) => {
    const { ref, guest } = await oneInstance();
    guest.system = system;
    expect(await lab.provider.guests.isUp(ref)).toBe(false);
  });

  it("goes by the pool's ready unit", async () => {
    const { ref, guest } = await oneInstance({ readyUnit: 'kubelet.service' });
    expect(await lab.provider.guests.isUp(ref)).toBe(false);
    guest.units.set('kubelet.service', 'active');
    expect(await lab.provider.guests.isUp(ref)).toBe(true);
  });

  it('is false when the guest does not answer or is not running', async () => {
    const { ref, guest } = await oneInstance();
    guest.isAnswering = false;
    expect(await lab.provider.guests.isUp(ref)).toBe(false);
    guest.isAnswering = true;
    lab.machines.states.clear();
    expect(await lab.provider.guests.isUp(ref)).toBe(false);
  });

  it('awaitUp fails with the end of the console when its deadline passes', async () => {
    const { ref, guest } = await oneInstance();
    guest.isAnswering = false;
    writeFileSync((await lab.provider.guests.readDetails(ref)).consoleLog, `${'early '.repeat(1000)}Kernel panic`);
    await expect(wait(ref)).rejects.toMatchObject({
      code: 'vms/not-up',
      message: expect.stringMatching(/is not up after 60 s; its console ends with:\n.*Kernel panic$/s),
      next: expect.stringContaining(`headstart pool logs ${ref.id}`),
    });
  });

  it('awaitUp resets a VM that is hung, and no other', async () => {
    const { ref, guest } = await oneInstance();
    const { folder, consoleLog } = await lab.provider.guests.readDetails(ref);
    const resets: number[] = [];
    const startedMs = lab.clock.nowMs();
    lab.machines.reset = async () => void resets.push(lab.clock.nowMs() - startedMs);
    guest.isAnswering = false;
    const long = () =>
      lab.provider.guests.awaitUp(ref, { deadlineMs: 500_000, onWaiting: (what) => messages.add(what) });
    const messages = new Set<string>();
    await expect(long()).rejects.toMatchObject({ code: 'vms/not-up' });
    expect(resets).toEqual([]); // its files were written after the start
    const atStart = new Date(lab.clock.nowMs() - 500_000);
    writeFileSync(consoleLog, '');
    for (const path of [consoleLog, join(folder, 'disk.qcow2')]) utimesSync(path, atStart, atStart);
    lab.machines.reset = async () => {
      resets.push(lab.clock.nowMs() - startedMs);
      guest.isAnswering = resets.length > 1;
    };
    await long();
    expect(resets).toHaveLength(2);
    expect(resets[1]! - resets[0]!).toBeGreaterThanOrEqual(180_000); // twice as long as the first time
    expect([...messages].filter((what) => what.includes('has been reset'))).toHaveLength(1);
  });

  it('awaitUp fails immediately when the machine is off or its disk is full', async () => {
    const { ref } = await oneInstance();
    const [vmId] = lab.machines.states.keys();
    lab.machines.states.set(vmId!, 'full');
    await expect(wait(ref)).rejects.toThrow('the disk of this machine is full');
    lab.machines.states.clear();
    await expect(wait(ref)).rejects.toThrow('is not running');
  });
});

describe('extensions', () => {
  it('run once, in order, before a guest is up', async () => {
    const { ref, guest } = await oneInstance({ extensions: [extension('b', ['a']), extension('a')] });
    expect(await lab.provider.guests.isUp(ref)).toBe(false);
    await wait(ref);
    await wait(ref);
    expect(guest.ranScripts).toEqual(['echo a', 'echo b']);
    expect(await lab.provider.guests.isUp(ref)).toBe(true);
  });

  it('that fail are named, and run again only on the next attempt', async () => {
    const { ref, guest } = await oneInstance({ extensions: [extension('a')] });
    guest.failing.add('headstart-extension-a.service');
    await expect(wait(ref)).rejects.toMatchObject({
      code: 'vms/extension-failed',
      message: expect.stringContaining('status 1'),
    });
    await expect(wait(ref)).rejects.toMatchObject({ code: 'vms/extension-failed' });
    expect(guest.ranScripts).toEqual(['echo a']);
  });

  it('that ran unattended are found again, and restarted when the guest was rebooted', async () => {
    const { ref, guest } = await oneInstance({ extensions: [extension('a')] });
    guest.failing.add('headstart-extension-a.service');
    await expect(wait(ref)).rejects.toThrow();
    guest.units.set('headstart-extension-a.service', 'active');
    await wait(ref);
    expect(guest.ranScripts).toEqual(['echo a']);
  });
});
