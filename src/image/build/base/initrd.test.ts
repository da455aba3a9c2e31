// Runs the scripts of the initrd in a real shell, on a folder instead of /sys, with only the programs that an initrd has.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FIND_DRIVERS, MOVE_DEVICES, OWN_INITRD_FILES } from './initrd.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headstart-initrd-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Each program records its arguments, then runs the given command. */
function programs(does: Readonly<Record<string, string>>): void {
  for (const [name, script] of Object.entries(does)) {
    put(`bin/${name}`, `#!/bin/sh\necho "${name} $*" >>'${root}/calls'\n${script}\n`);
    chmodSync(join(root, 'bin', name), 0o755);
  }
}

function run(script: string, env: Record<string, string> = {}, ...args: string[]) {
  const text = script.replaceAll('/sys/', `${root}/sys/`).replaceAll(/(?<=[ "])\/dev\b/g, `${root}/dev`);
  const { status, stderr } = spawnSync('/bin/sh', ['-eu', '-c', text, 'script', ...args], {
    encoding: 'utf8',
    env: { PATH: join(root, 'bin'), ...env },
  });
  const calls = existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').trim().split('\n') : [];
  return { status, stderr, calls, of: (name: string) => calls.filter((call) => call.startsWith(`${name} `)) };
}

const CAT = 'exec /bin/cat "$@"';
const LOAD = 'modprobe --all --quiet --use-blacklist';

describe('FIND_DRIVERS', () => {
  it('loads all drivers with one modprobe, and those of new devices in the next round', () => {
    put('sys/bus/pci/devices/a/modalias', 'pci:v00001AF4*bc00\n');
    put('sys/bus/acpi/devices/b/modalias', 'acpi:PNP0C0C:\n');
    programs({
      cat: CAT,
      modprobe: `mkdir=/bin/mkdir; $mkdir -p '${root}/sys/bus/virtio/devices/c'; echo virtio:d2 >'${root}/sys/bus/virtio/devices/c/modalias'`,
    });
    const ran = run(FIND_DRIVERS);
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    expect(ran.of('modprobe')).toEqual([
      `${LOAD} acpi:PNP0C0C: pci:v00001AF4*bc00`,
      `${LOAD} acpi:PNP0C0C: pci:v00001AF4*bc00 virtio:d2`,
    ]);
  });

  it('retries while the root is missing, up to a limit', () => {
    put('sys/bus/pci/devices/a/modalias', 'pci:x\n');
    const late = `n=$(/bin/cat '${root}/n' 2>/dev/null || echo 0); n=$((n + 1)); echo $n >'${root}/n'; [ $n -ge 4 ]`;
    programs({ cat: CAT, modprobe: '', sleep: '', blkid: late });
    const ran = run(FIND_DRIVERS, { ROOT: 'PARTUUID=1234' });
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    expect(ran.of('blkid')).toEqual(Array.from({ length: 4 }, () => 'blkid -l -t PARTUUID=1234'));
    expect(ran.of('sleep')).toHaveLength(3);

    programs({ blkid: 'exit 2' });
    expect(run(FIND_DRIVERS, { ROOT: 'PARTUUID=1234' })).toMatchObject({ status: 0 });
    expect(run(FIND_DRIVERS, { ROOT: '/dev/vda' }, 'prereqs')).toMatchObject({ status: 0 });
  });

  it('succeeds on a machine without devices', () => {
    programs({ cat: CAT });
    expect(run(FIND_DRIVERS, { ROOT: '/dev/vda' })).toMatchObject({ status: 0, stderr: '' });
  });
});

describe('MOVE_DEVICES', () => {
  it('moves /dev to the root with the programs of an initrd without busybox', () => {
    mkdirSync(join(root, 'dev'));
    programs({ mount: '', nuke: 'exec /bin/rm -rf "$@"', ln: 'exec /bin/ln "$@"' });
    const ran = run(MOVE_DEVICES, { rootmnt: `${root}/new` });
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    expect(ran.calls).toEqual([
      `mount -n -o move ${root}/dev ${root}/new/dev`,
      `nuke ${root}/dev`,
      `ln -s ${root}/new/dev ${root}/dev`,
    ]);
  });
});

describe('OWN_INITRD_FILES', () => {
  it("are executable scripts that replace udev's", () => {
    const scripts = OWN_INITRD_FILES.filter(({ text }) => text.startsWith('#!'));
    for (const { mode } of scripts) expect(mode).toBe(0o755);
    const folder = '/etc/initramfs-tools/scripts';
    expect(scripts.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['init-top', 'local-block', 'init-bottom'].map((moment) => `${folder}/${moment}/udev`)),
    );
  });
});
