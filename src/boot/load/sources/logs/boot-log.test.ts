import { describe, expect, test } from 'vitest';
import { BootLog } from './boot-log.ts';

type Line = [atS: number, identifier: string, message: string, pid?: string];
function facts(
  lines: Line[],
  log: ConstructorParameters<typeof BootLog>[0] = { clock: 'monotonic', holds: 'journal' },
) {
  const bootLog = new BootLog(log);
  for (const [atS, identifier, message, pid] of lines) bootLog.addLine({ atUs: atS * 1e6, identifier, message, pid });
  return bootLog.facts();
}
const BANNER = 'systemd 252.39-1~deb12u2 running in system mode (+PAM)';
const notes = (lines: Line[]) =>
  facts(lines)
    .notes.map(({ text }) => text)
    .join();

describe('BootLog', () => {
  test('gives the kernel version and when the kernel ran init', () => {
    const { host, spans, milestones } = facts([
      [0, 'kernel', 'Linux version 6.1.0-54 (x)'],
      [4, 'kernel', 'Run /init as init process'],
      [6, 'kernel', `systemd[1]: ${BANNER}`],
    ]);
    expect(host).toMatchObject({ kernel: '6.1.0-54', systemdVersion: '252.39-1~deb12u2' });
    expect(spans).toMatchObject([{ id: 'kernel:until-init', startUs: 0, endUs: 4e6 }]);
    expect(milestones[0]).toMatchObject({ name: 'kernel-start', atUs: 0 });
  });

  test('gives no kernel span or start for a wall-clock log', () => {
    const lines: Line[] = [
      [1000, 'kernel', 'Linux version 6.1.0-54 (x)'],
      [1004, 'kernel', 'Run /init as init process'],
    ];
    expect(facts(lines, { clock: 'wall', holds: 'journal' })).toMatchObject({
      spans: [],
      milestones: [],
    });
  });

  test('reads the phases from lines of PID 1 only', () => {
    const startup = 'Startup finished in 2s (kernel) + 8s (userspace) = 10s.';
    expect(facts([[10, 'systemd', startup, '1']]).manager).toMatchObject({ userspaceUs: 2e6, finishUs: 10e6 });
    expect(facts([[10, 'systemd', startup, '900']]).manager).toBeUndefined();
  });

  test('derives the phases of an unfinished boot from the banners of systemd in the initrd and in the real root', () => {
    const lines: Line[] = [
      [2, 'systemd', BANNER],
      [2, 'systemd', 'Running in initrd.'],
      [6, 'systemd', BANNER],
      [220, 'systemd', BANNER],
    ];
    expect(facts(lines).manager).toMatchObject({ initrdUs: 2e6, userspaceUs: 6e6, finishUs: 0 });
    expect(notes(lines)).toContain('the log has no "Startup finished"');
  });

  test('gives the start of userspace but no end of the boot for a kernel log', () => {
    const { manager, milestones } = facts([[6, 'kernel', `systemd[1]: ${BANNER}`]], {
      clock: 'monotonic',
      holds: 'kernel-log',
    });
    expect(manager).toBeUndefined();
    expect(milestones).toMatchObject([{ name: 'userspace', atUs: 6e6, errorUs: 6.5e6 }]);
  });

  test('counts a container back from the line that says how long it took to start', () => {
    const { manager, host } = facts([[612_009, 'systemd', 'Startup finished in 9.000s.', '1']]);
    expect(manager).toMatchObject({ userspaceUs: 612_000e6, finishUs: 612_009e6, securityStartUs: 0 });
    expect(host).toEqual({ virtualization: 'container-other' });
  });

  test.each([
    [20.4, 20],
    [35, 35],
    [19, 19],
  ])('with an uptime of 20 s in a cloud-init line received at %d s, places its start at %d s', (atS, expectedS) => {
    const line = "Cloud-init v. 22.4.2 running 'init-local' at Sun, 15 Nov 2026. Up 20.00 seconds.";
    const { milestones, host } = facts([[atS, 'cloud-init', line]]);
    expect(milestones).toMatchObject([{ name: 'cloud-init-started', atUs: expectedS * 1e6 }]);
    expect(host).toMatchObject({ cloudInitVersion: '22.4.2' });
  });

  test('uses the first "finished" of cloud-init, and none of its stages', () => {
    const line = (what: string, upS: number) => `Cloud-init v. 22.4.2 ${what} at now. Up ${upS} seconds`;
    const { milestones } = facts([
      [40, 'cloud-init', line('finished', 40)],
      [30, 'cloud-init', line('finished', 30)],
      [20, 'cloud-init', line("running 'modules:config'", 20)],
    ]);
    expect(milestones).toMatchObject([{ name: 'cloud-init-finished', atUs: 30e6 }]);
  });

  test.each([
    [1000, 1e6],
    [1000.25, undefined],
  ])('a line of kubelet that a wall-clock log received at %d s gives an error of %s', (atS, errorUs) => {
    const line = 'I1115 10:00:20.500000    7 kubelet_node_status.go:73] "Successfully registered node" node="n"';
    const { milestones } = facts([[atS, 'kubelet', line]], { clock: 'wall', holds: 'journal' });
    expect(milestones.find(({ name }) => name === 'node-registered')).toEqual(
      expect.objectContaining({ atUs: atS * 1e6 }),
    );
    expect(milestones.find(({ name }) => name === 'node-registered')?.errorUs).toBe(errorUs);
  });

  test('notes that PID 1 prints no unit names, unless some units are known', () => {
    const nameless: Line = [3, 'systemd', 'Started OpenBSD Secure Shell server.'];
    expect(notes([nameless])).toContain('PID 1 does not print unit names');
    expect(notes([nameless, [4, 'systemd', 'Started a.service - A.']])).not.toContain('does not print unit names');
  });

  test('reads the version of systemd from a banner that also has the version of the package', () => {
    const { host } = facts([[1, 'systemd', 'systemd 239 (239-82.el8_10.2) running in system mode. (+PAM)']]);
    expect(host?.systemdVersion).toBe('239');
  });

  test('gives the virtualization and architecture that PID 1 detected', () => {
    const { host } = facts([
      [1, 'systemd', 'Detected virtualization microsoft.'],
      [1, 'systemd', 'Detected architecture x86-64.'],
    ]);
    expect(host).toMatchObject({ virtualization: 'microsoft', architecture: 'x86-64' });
  });
});
