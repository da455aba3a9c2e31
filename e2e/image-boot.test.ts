// e2e/image-boot.test.ts: do other programs accept the disk of a built image, and does it boot, with its kernel and as a VHD through UEFI firmware?
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verb as test } from '../src/cli/image/test.ts';
import { runVerb } from '../src/cli/testing.ts';
import { missingTools } from '../src/host/required-tools.ts';
import type { BuildRecord } from '../src/image/build/contract.ts';
import type { ImageTest } from '../src/image/test/verdict.ts';
import { cacheFolder } from './programs/ensure-helm.ts';
import { type EnsuredImage, ensureImage } from './programs/ensure-image.ts';

const LONG_MS = 60 * 60_000;
const BOOT_MS = 30 * 60_000;
const scratch = mkdtempSync(join(tmpdir(), 'headstart-image-boot-'));
const budget = join(scratch, 'budget.yaml');
/** A home that already records whether KVM works. */
const env = { ...process.env, HEADSTART_HOME: join(cacheFolder(), 'vms') };
let image: EnsuredImage;
let build: BuildRecord;
let passed: Buffer | undefined;

beforeAll(async () => {
  image = await ensureImage();
  build = JSON.parse(readFileSync(join(image.folder, 'build.json'), 'utf8')) as BuildRecord;
  // Leftovers of a failed run would affect the verdict.
  rmSync(file('test.json'), { force: true });
}, LONG_MS);
afterAll(() => {
  // Other tests use the image as well, so the test with an impossible limit must not leave its verdict.
  if (passed) writeFileSync(file('test.json'), passed);
  rmSync(scratch, { recursive: true, force: true });
});

const file = (name: string) => join(image.folder, name);
const say = (program: string, ...args: string[]) =>
  execFileSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
const hasTools = (...programs: string[]) =>
  missingTools(
    programs.map((program) => ({ program, package: program })),
    process.env.PATH,
  ).length === 0;

describe('the disk of an image', { timeout: BOOT_MS }, () => {
  it('is a VHD that Azure accepts, with the same bytes as the qcow2', () => {
    const info = JSON.parse(say('qemu-img', 'info', '-f', 'vpc', '--output=json', file('disk.vhd')));
    expect(info).toMatchObject({ format: 'vpc', 'virtual-size': build.diskBytes });
    expect(build.diskBytes % 2 ** 20).toBe(0);
    expect(say('qemu-img', 'compare', '-f', 'vpc', '-F', 'qcow2', file('disk.vhd'), file('disk.qcow2'))).toContain(
      'identical',
    );
  });

  it('has a partition table that sfdisk reads correctly', () => {
    expect(hasTools('sfdisk'), 'sfdisk is in the package fdisk').toBe(true);
    // The footer after the disk is not part of it.
    const raw = join(scratch, 'table.raw');
    say('qemu-img', 'convert', '-f', 'vpc', '-O', 'raw', file('disk.vhd'), raw);
    const { partitiontable } = JSON.parse(say('sfdisk', '--json', raw));
    expect(partitiontable).toMatchObject({ label: 'gpt', firstlba: 34, lastlba: build.diskBytes / 512 - 34 });
    expect(partitiontable.partitions).toMatchObject([
      { start: 2048, type: 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B' },
      { uuid: build.root.replace('PARTUUID=', '').toUpperCase(), attrs: 'GUID:59' },
    ]);
    expect(say('sfdisk', '--verify', raw)).toContain('No errors detected');
    const [esp, root] = partitiontable.partitions as { start: number; size: number }[];
    expectSound(raw, 'esp.img', esp!, 'fsck.fat', '-n');
    expectSound(raw, 'root.img', root!, 'e2fsck', '-f', '-n');
    rmSync(raw);
  });

  /** What the standard tools report about the disk. */
  function expectSound(
    raw: string,
    name: string,
    part: { start: number; size: number },
    program: string,
    ...args: string[]
  ) {
    expect(hasTools(program), `${program} is missing`).toBe(true);
    const cut = join(scratch, name);
    const range = `driver=raw,offset=${part.start * 512},size=${part.size * 512},file.driver=file,file.filename=${raw}`;
    say('qemu-img', 'convert', '--image-opts', range, '-O', 'raw', cut);
    say(program, ...args, cut);
    rmSync(cut);
  }
});

describe('headstart image test', { timeout: BOOT_MS }, () => {
  it('boots it with its kernel until it is ready, and finds the content of the lock in it', async () => {
    writeFileSync(budget, 'units: {headstart-node.service: 10min}\nmilestones: {kubelet-started: 20min}\n');
    const { code, stdout, stderr } = await runTest('--budget', budget);
    console.error(stdout);
    expect(code, `${stdout}${stderr}`).toBe(0);
    expect(stdout).toContain('headstart-node-ready.target @');
    expect(stdout).not.toContain('cloud-init.service');
    expect(written()).toMatchObject({ isPassed: true, contentSha256: build.contentSha256 });
    // The booted disk, and files from archives and container images.
    const boot = written().boots.find(({ way }) => way === 'kernel')!;
    expect(boot.files['disk.qcow2']).toBe(build.files['disk.qcow2']?.sha256);
    const details = new Map(boot.checks.map(({ name, detail }) => [name, detail]));
    expect(JSON.parse(readFileSync(file('files.json'), 'utf8')).files).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ path: '/opt/tools/bin/say-hello', mode: 0o755 }),
        expect.objectContaining({ path: '/opt/tools/share/words', mode: 0o640 }),
        { path: '/opt/tools/bin/hello', to: 'say-hello' },
      ]),
    );
    expect(details.get('container-images')).toBe('2 unpacked');
    expect(details.get('kubelet-health')).toContain('200 OK');
    expect(details.get('machine-id')).toBe('its own');
    passed = readFileSync(file('test.json'));
  });

  it('boots the VHD through UEFI firmware, and checks a budget', async () => {
    writeFileSync(budget, 'phases: {kernel: 1us}\n');
    const { code, stdout, stderr } = await runTest('--firmware', '--budget', budget);
    console.error(stdout);
    expect(code, `${stdout}${stderr}`).toBe(3);
    const boot = written().boots.find(({ way }) => way === 'firmware')!;
    expect(boot.checks.filter(({ isPassed }) => !isPassed)).toEqual([]);
    expect(boot.budget).toMatchObject([{ path: 'phases.kernel', verdict: 'exceeded' }]);
    // A boot loader in a VM does not report its times, because it has no reliable clock.
    expect(boot.phases.map(({ name }) => name)).toEqual(expect.arrayContaining(['kernel', 'userspace']));
  });

  const runTest = (...args: string[]) =>
    runVerb(test, [image.folder, '--timeout', '20min', ...args], { env, nowUs: Date.now() * 1000 });
  const written = () => JSON.parse(readFileSync(file('test.json'), 'utf8')) as ImageTest;
});
