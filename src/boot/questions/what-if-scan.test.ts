import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BootRecord, startTookUs } from '../model/record.ts';
import { bootRecord, caught, managerTimes, span, unit } from '../testing.ts';
import { parseEdit, type WhatIfEdit } from './edits.ts';
import { anyUnits, bootOf, cloudFinal, ran } from './what-if.testing.ts';
import { whatIf } from './what-if.ts';
import { whatIfScan } from './what-if-scan.ts';

describe('whatIfScan', () => {
  it('lists the best edit first, and omits edits that save nothing', () => {
    const record = bootOf([
      ran('base.target', 1, 1),
      ran('slow.service', 1.5, 9, ['base.target']),
      ran('quick.service', 2, 3, ['base.target']),
      ran('app.service', 9.25, 10, ['slow.service', 'quick.service']),
    ]);
    const { candidates, before } = whatIfScan(record, { limit: 10, target: 'app.service' });
    expect(before.targetUs).toBe(10e6);
    // Without slow.service, the target still waits for quick.service, which is active at 3 s.
    expect(candidates.map(({ text, savedUs }) => [text, savedUs])).toEqual([
      ["--drop-after 'app.service slow.service'", 6e6],
      ["--mask 'slow.service'", 6e6],
    ]);
  });

  it('proposes only services of a pasted chain, and only their own time', () => {
    const pasted = cloudFinal();
    const slower = pasted.units.map((u) =>
      u.name === 'ephemeral-disk-warning.service' ? { ...u, activatingUs: u.activatingUs - 290_000 } : u,
    );
    const { candidates } = whatIfScan({ ...pasted, units: slower }, { limit: 100, target: 'cloud-final.service' });
    const small = candidates.filter(({ text }) => text.includes('ephemeral-disk-warning'));
    expect(small).toMatchObject([{ savedUs: 319_000, confidence: 'low' }]);
    expect(candidates.every(({ text }) => !/\.target|\.path|\.socket|\.slice/.test(text))).toBe(true);
    expect(candidates.every(({ weakensTarget }) => !weakensTarget)).toBe(true);
  });

  it('lists no edit that saves less than a thousandth of the time', () => {
    // ephemeral-disk-warning.service took 29 ms of 45.6 s.
    const { candidates, smallestUs } = whatIfScan(cloudFinal(), { limit: 100, target: 'cloud-final.service' });
    expect(smallestUs).toBe(45_632);
    expect(candidates.map(({ text }) => text).join()).not.toContain('ephemeral-disk-warning');
    expect(candidates.every(({ savedUs }) => savedUs >= smallestUs)).toBe(true);
  });

  it('applies the given edits first, and notes those without effect', () => {
    const edits = [parseEdit('set', 'cloud-init.service=0s')];
    const scan = whatIfScan(cloudFinal(), { limit: 1, edits, target: 'cloud-final.service' });
    expect(scan.before.targetUs).toBe(45_632_000 - 20_216_000);
    expect(scan.candidates[0]!.text).not.toContain('cloud-init.service');
  });

  it('refuses a target that the edits mask', () => {
    const edits = [parseEdit('mask', 'cloud-final.service')];
    const error = caught(() => whatIfScan(cloudFinal(), { limit: 1, edits, target: 'cloud-final.service' }));
    expect(error.code).toBe('boot/target-masked');
  });

  it('predicts exactly what the edit saves, and misses no better edit', () => {
    fc.assert(
      fc.property(anyUnits(), (units) => {
        const record = bootOf(units);
        const started = units.filter((u) => u.activatingUs > 0);
        for (const { name } of started.slice(0, 4)) {
          const { candidates } = whatIfScan(record, { limit: 1000, target: name });
          for (const { edit, savedUs, afterUs } of candidates) {
            const made = whatIf(record, [edit], name);
            expect([made.savedUs, made.after.targetUs]).toEqual([savedUs, afterUs]);
          }
          const every: WhatIfEdit[] = started.flatMap((u) => [
            ...(u.name === name || startTookUs(u) === 0 ? [] : [{ kind: 'mask', unit: u.name } as const]),
            ...u.after
              .filter((d) => started.some((v) => v.name === d))
              .map((d) => ({ kind: 'drop-after', unit: u.name, dependency: d }) as const),
          ]);
          const best = every.reduce((max, e) => Math.max(max, whatIf(record, [e], name).savedUs), 0);
          expect(candidates[0]?.savedUs ?? 0).toBe(best);
        }
      }),
    );
  });

  it('edge case 50: scans a chain of 20,000 units without overflowing the stack or a pass per unit', () => {
    const units = Array.from({ length: 20_000 }, (_, i) =>
      ran(`u${i}.service`, i + 1, i + 1.5, i === 0 ? [] : [`u${i - 1}.service`]),
    );
    const scan = whatIfScan(bootOf(units), { limit: 5 });
    expect(scan.candidates).toHaveLength(5);
    expect(scan.target).toBe('u19999.service');
  });

  it('never saves less with a set than with its best member, and re-times the set as what-if does', () => {
    fc.assert(
      fc.property(anyUnits(), (units) => {
        const record = bootOf(units);
        for (const { name } of units.filter((u) => u.activatingUs > 0).slice(0, 3)) {
          const { candidates, combined } = whatIfScan(record, { target: name });
          if (!combined) continue;
          expect(combined.savedUs).toBeGreaterThanOrEqual(candidates[0]!.savedUs);
          expect(combined.edits.length).toBeLessThanOrEqual(3);
          expect(whatIf(record, combined.edits, name).savedUs).toBe(combined.savedUs);
        }
      }),
    );
  });
});

const texts = (record: BootRecord, target?: string) =>
  whatIfScan(record, target === undefined ? {} : { target }).candidates.map(({ text }) => text);

describe('what whatIfScan does not propose', () => {
  const chainOf = (middle: string, more: Parameters<typeof unit>[4], appMore: Parameters<typeof unit>[4] = {}) =>
    bootRecord({
      units: [
        unit('basic.target', 2, 0),
        unit(middle, 4, 8, ['basic.target'], more),
        unit('app.service', 12, 8, [middle, 'basic.target'], appMore),
        unit('multi-user.target', 20, 0, ['app.service'], { aliases: ['default.target'] }),
      ],
    });

  it('defect 11: a unit that another one requires, binds to or, as a service, wants', () => {
    expect(texts(chainOf('tool.service', {}))).toContain("--mask 'tool.service'");
    for (const list of ['requires', 'requisite', 'bindsTo', 'wants'] as const) {
      const found = texts(chainOf('tool.service', {}, { [list]: ['tool.service'] }));
      expect(found.join()).not.toContain('tool.service');
    }
  });

  it.each(['data.mount', 'dev-sdb.device', 'x.socket', 'x.slice', 'x.target', 'x.swap'])(
    'defect 11: %s, and the orderings of a target',
    (name) => {
      const found = texts(chainOf(name, {}));
      expect(found.join()).not.toContain(name);
      expect(found.join()).not.toContain('.target');
    },
  );

  it('containerd, kubelet, systemd, the network, storage and protection, whatever their unit files say', () => {
    for (const name of [
      'headstart-clone-check.service',
      'apparmor.service',
      'chrony.service',
      'open-iscsi.service',
      'nodeadm-config.service',
      'containerd.service',
      'kubelet.service',
      'systemd-udevd.service',
      'NetworkManager.service',
      'sshd.service',
    ])
      expect(texts(chainOf(name, {})).join()).not.toContain(name);
  });

  it('defect 12: a unit that a timer started, which would try again', () => {
    expect(texts(chainOf('tool.service', { triggeredBy: ['tool.timer'] })).join()).toContain("--mask 'tool.service'");
    const record = chainOf('tool.service', { triggeredBy: ['tool.timer'] });
    const found = texts({ ...record, units: [...record.units, unit('tool.timer', 3, 0)] });
    expect(found.join()).not.toContain("--mask 'tool.service'");
  });

  it('saves no time of a wait, in any boot', () => {
    fc.assert(
      fc.property(anyUnits(), fc.nat({ max: 11 }), (units, at) => {
        const waits = units.map((u, i) => (i === at ? { ...u, name: 'systemd-networkd-wait-online.service' } : u));
        const renamed = waits.map((u) => ({
          ...u,
          after: u.after.map((d) => (d === `u${at}.service` ? 'systemd-networkd-wait-online.service' : d)),
        }));
        const record = bootOf(renamed);
        for (const { name } of renamed.filter((u) => u.activatingUs > 0).slice(0, 3)) {
          const { candidates, combined } = whatIfScan(record, { limit: 100, target: name });
          const made = [...candidates.map(({ text }) => text), ...(combined?.texts ?? [])];
          expect(made.filter((text) => text.startsWith('--mask') && text.includes('wait-online'))).toEqual([]);
        }
      }),
    );
  });

  it('defect 14: waits for the platform, the network or a device', () => {
    const waiting = bootRecord({
      units: [
        unit('cloud-init-local.service', 5, 1000, []),
        unit('systemd-networkd-wait-online.service', 1006, 5, ['cloud-init-local.service']),
        unit('tool.service', 1011, 2, ['systemd-networkd-wait-online.service']),
        unit('app.service', 1013, 1, ['tool.service']),
      ],
    });
    const { candidates } = whatIfScan(waiting, { target: 'app.service' });
    // Without cloud-init or tool.service the app would no longer wait for the network.
    expect(candidates).toEqual([]);
  });
});

describe('what whatIfScan proposes for a device that never appeared', () => {
  const wait = span('systemd:wait', 2, 92, {
    ...{ unit: 'dev-sdb.device', wait: 'the device never appeared', result: 'fail' as const },
    failure: 'timed out after 1min 30s',
  });
  const record = bootRecord({
    units: [
      unit('basic.target', 1, 0),
      unit('dev-sdb.device', 0, 0),
      unit('local-fs.target', 92.5, 0, ['dev-sdb.device', 'basic.target']),
      unit('app.service', 93, 1, ['local-fs.target']),
    ],
    spans: [wait],
  });

  it('names the wait that gained nothing, and how to end it', () => {
    const [best] = whatIfScan(record, { target: 'app.service' }).candidates;
    expect(best).toMatchObject({ text: "--set 'dev-sdb.device=0s'", savedUs: 90e6, confidence: 'high' });
    expect(best?.command).toContain('x-systemd.device-timeout=5s');
    expect(whatIf(record, [best!.edit], 'app.service').savedUs).toBe(90e6);
  });

  it('proposes nothing if the device appeared', () => {
    const { result: _, failure: __, ...appeared } = wait;
    expect(texts({ ...record, spans: [appeared] }, 'app.service')).toEqual([]);
  });
});

describe('what whatIfScan proposes until Node Ready', () => {
  const node = bootRecord({
    manager: managerTimes({ userspaceUs: 2e6, finishUs: 40e6 }),
    units: [
      unit('basic.target', 3, 0),
      unit('cloud-final.service', 8.5, 10, ['basic.target']),
      unit('kubelet.service', 19, 1, ['cloud-final.service', 'basic.target']),
    ],
    spans: [
      span('cloud-init:modules-final', 9, 18, { unit: 'cloud-final.service' }),
      span('cloud-init:modules-final/config-grub-dpkg', 10, 17, { parent: 'cloud-init:modules-final' }),
      span('kubelet:start', 20, 24, { unit: 'kubelet.service' }),
      span('kubelet:become-ready', 24, 30, { unit: 'kubelet.service' }),
    ],
    milestones: [{ name: 'node-ready', atUs: 30e6, source: 'kubelet' }],
  });

  it('names the command, the risk and the confidence of each edit', () => {
    const { target, candidates } = whatIfScan(node, {});
    expect(target).toBe('node-ready');
    expect(candidates).toMatchObject([
      { text: "--drop-after 'kubelet.service cloud-final.service'", savedUs: 15.5e6, confidence: 'medium' },
      { text: "--without 'cloud-init'", command: 'sudo touch /etc/cloud/cloud-init.disabled' },
      { text: "--without 'config-grub-dpkg'", savedUs: 7e6, confidence: 'high' },
    ]);
    for (const { edit, savedUs, command, risk } of candidates) {
      expect(whatIf(node, [edit], 'node-ready').savedUs).toBe(savedUs);
      expect(command.length * risk.length).toBeGreaterThan(0);
    }
  });

  it('moves a script that starts kubelet into the image, and nothing else that kubelet needs', () => {
    const scripted = bootRecord({
      manager: managerTimes({ userspaceUs: 2e6, finishUs: 40e6 }),
      units: [
        unit('basic.target', 3, 0),
        unit('cloud-final.service', 8.5, 22, ['basic.target']),
        unit('kubelet.service', 28, 1, ['basic.target']),
      ],
      spans: [
        span('cloud-init:modules-final', 9, 30, { unit: 'cloud-final.service' }),
        span('cloud-init:modules-final/config-scripts-user', 10, 29, {
          parent: 'cloud-init:modules-final',
          unit: 'cloud-final.service',
        }),
        span('kubelet:start', 29, 32, { unit: 'kubelet.service' }),
        span('kubelet:become-ready', 32, 36, { unit: 'kubelet.service' }),
      ],
      milestones: [{ name: 'node-ready', atUs: 36e6, source: 'kubelet' }],
    });
    const { candidates } = whatIfScan(scripted, {});
    expect(candidates).toMatchObject([{ text: "--without 'config-scripts-user'", confidence: 'low' }]);
    expect(candidates[0]!.savedUs).toBeGreaterThan(15e6);
    expect(candidates[0]!.command).toMatch(/while the node image is built.*; enable kubelet\.service in it$/);
    expect(candidates[0]!.because).toContain('kubelet.service: when the image starts them');
  });
});
