import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import type { BootRecord } from '../../boot/model/record.ts';
import { bootRecord, unit } from '../../boot/testing.ts';
import { BUILD_FILES, goodFacts, writeBuild } from '../../image/test/testing.ts';
import { type FakePools, fakePools } from '../../local/testing.ts';
import { fakeTools } from '../../vms/qemu/testing.ts';
import { runVerb } from '../testing.ts';
import { imageTest } from './test.ts';

let folder: string;
let build: string;
let pools: FakePools;
let ran: string[][];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-image-test-verb-'));
  build = join(folder, 'node-1.35.8');
  writeBuild(build);
  pools = fakePools(join(folder, 'pools'));
  await pools.addImage('image-test', 'node-1.35.8', '2026.1116.0');
  pools.guest = (argv) => (argv[0] === '/bin/sh' ? { stdout: Buffer.from(answers()) } : {});
  ran = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const record: BootRecord = bootRecord({
  units: [unit('headstart-node-ready.target', 9, 0)],
});

const image = (...argv: string[]) =>
  runVerb(
    imageTest({ open: async () => pools, run: fakeTools(ran), parent: folder, collect: async () => record }),
    argv,
    { env: { HEADSTART_HOME: join(folder, 'home') } },
  );

/** As the script in the guest prints it. */
function answers(changes: Record<string, string> = {}): string {
  const all: Record<string, string> = {
    release: goodFacts.release,
    dpkgStatus: goodFacts.dpkgStatus,
    files: [...goodFacts.files].map(([path, sum]) => `${sum}  ${path}\n`).join(''),
    units: [...goodFacts.units.values()]
      .map((unit) =>
        Object.entries(unit)
          .map(([key, value]) => `${key}=${value}\n`)
          .join(''),
      )
      .join('\n'),
    modes: [...goodFacts.modes].map(([path, mode]) => `${mode} ${path}\n`).join(''),
    links: [...goodFacts.links].map(([path, to]) => `${to} ${path}\n`).join(''),
    readyImages: goodFacts.readyImages.join('\n'),
    kubeletHealth: goodFacts.kubeletHealth,
    resolvConf: goodFacts.resolvConf,
    nodeStatus: goodFacts.nodeStatus,
    machineId: goodFacts.machineId,
    isMachineIdNew: 'yes\n',
    root: `${goodFacts.rootBytes / 4096} 4096\n${goodFacts.diskBytes / 512}\n${goodFacts.kernelRelease}\n`,
    ...changes,
  };
  return Object.entries(all)
    .map(([name, text]) => `${name} ${Buffer.from(text).toString('base64')}\n`)
    .join('');
}

const written = () => JSON.parse(readFileSync(join(build, 'test.json'), 'utf8'));
const homes = () => readdirSync(folder).filter((name) => /^headstart-image-test-(?!verb)/.test(name));

describe('headstart image test', () => {
  it('says that all is well, writes it beside the build, and leaves no VM', async () => {
    const { code, stdout } = await image(build);
    expect(code).toBe(0);
    expect(stdout).toContain('passed, ready 9s after its kernel started');
    expect(written()).toMatchObject({ kind: 'ImageTest', isPassed: true, boots: [{ way: 'kernel', readyMs: 9000 }] });
    expect([...pools.state.pools]).toEqual([]);
    expect(homes()).toEqual([]);
    expect(readdirSync(build).sort()).toEqual([...Object.keys(BUILD_FILES), 'build.json', 'test.json'].sort());
  });

  it('boots the build’s own files, told who it is by its metadata alone', async () => {
    pools.trouble = new UserError('never up', { code: 'vms/not-up' });
    await image(build, '--keep');
    const spec = pools.specs.get('image-test')!;
    expect(JSON.parse(Buffer.from(spec.userData!, 'base64').toString())).toMatchObject({
      kind: 'NodeConfig',
      spec: { kubernetes: { version: '1.35.8' } },
    });
    expect(spec.customData).toBeUndefined();
    expect(spec.size.diskGb).toBe(3);
    const [create] = ran.filter((argv) => argv[1] === 'create');
    expect(create).toEqual(expect.arrayContaining(['-F', 'qcow2', '-b', join(build, 'disk.qcow2')]));
    const [home] = homes();
    const version = JSON.parse(
      readFileSync(join(folder, home!, 'galleries/image-test/node-1.35.8/2026.1116.0/version.json'), 'utf8'),
    );
    expect(version).toMatchObject({
      cloudInit: 'off',
      root: 'PARTUUID=11223344-5566-8788-89aa-bbccddeeff00',
      kernelArgs: ['console=ttyS0', 'panic=10'],
    });
  });

  it('starts the VHD with firmware when asked, and keeps both results', async () => {
    await image(build);
    pools.guest = (argv) =>
      argv[0] === '/bin/sh'
        ? {
            stdout: Buffer.from(
              answers({ root: `1000000 4096\n8388608\n${goodFacts.kernelRelease}\n/sys/firmware/efi\n` }),
            ),
          }
        : {};
    expect((await image(build, '--firmware')).code).toBe(0);
    const creates = ran.filter((argv) => argv[1] === 'create');
    expect(creates.at(-1)).toEqual(expect.arrayContaining(['-F', 'vpc', '-b', join(build, 'disk.vhd')]));
    expect(written().boots.map(({ way }: { way: string }) => way)).toEqual(['firmware', 'kernel']);
  });

  it('answers no, with 3, when something inside is not as it was locked', async () => {
    pools.guest = (argv) => (argv[0] === '/bin/sh' ? { stdout: Buffer.from(answers({ dpkgStatus: '' })) } : {});
    const { code, stdout } = await image(build);
    expect(code).toBe(3);
    expect(stdout).toMatch(/NO\s+packages\s+systemd: expected 252\S+, got none/);
    expect(written().isPassed).toBe(false);
  });

  it('answers no when the budget is exceeded, or cannot be known to be kept', async () => {
    const budget = join(folder, 'budget.yaml');
    for (const text of ['units: {no-such.service: 1s}', 'milestones: {kubelet-started: 1s}']) {
      writeFileSync(budget, text);
      expect((await image(build, '--budget', budget)).code).toBe(3);
      expect(written().boots[0].budget).toHaveLength(1);
    }
  });

  it('answers no when it does not come up, and shows its console', async () => {
    pools.trouble = new UserError('image-test-000001 is not up; its console ends with: panic', { code: 'vms/not-up' });
    const { code, stdout } = await image(build);
    expect(code).toBe(3);
    expect(stdout).toMatch(/NO\s+boots\s+.*panic/);
    expect(homes()).toEqual([]);
  });

  it.each(Object.keys(BUILD_FILES).filter((name) => name !== 'disk.vhd'))(
    'does not boot what is not what was built: %s',
    async (name) => {
      writeFileSync(join(build, name), 'something else');
      const { code, stderr } = await image(build);
      expect(code).toBe(1);
      expect(stderr).toContain('image/build-damaged');
      expect(pools.specs.size).toBe(0);
      expect(readdirSync(build)).not.toContain('test.json');
    },
  );

  it.each([
    ['no folder', 'nowhere', 'image/no-build'],
    ['no build', '.', 'image/no-build'],
  ])('refuses %s before anything is made', async (_what, name, code) => {
    const ended = await image(join(folder, name));
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(code) });
    expect(homes()).toEqual([]);
  });

  it('removes the VM when it is interrupted', async () => {
    const stop = new AbortController();
    const verb = imageTest({
      ...{ open: async () => pools, run: fakeTools(ran), parent: folder },
      collect: async () => {
        stop.abort(new Error('enough'));
        throw stop.signal.reason;
      },
    });
    const { code, stderr } = await runVerb(verb, [build], { signal: stop.signal, env: { HEADSTART_HOME: folder } });
    expect(code).toBe(4);
    expect(stderr).toContain('the VM is gone');
    expect([...pools.state.pools]).toEqual([]);
    expect(homes()).toEqual([]);
  });

  it('prints one document at the end with --json, and changes nothing with --dry-run', async () => {
    const { stdout } = await image(build, '--json');
    expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toMatchObject({ kind: 'ImageTest', isPassed: true });
    rmSync(join(build, 'test.json'));
    const plan = await image(build, '--dry-run', '--json');
    expect(JSON.parse(plan.stdout)).toMatchObject({ kind: 'ImageTestPlan', changes: expect.any(Array) });
    expect(readdirSync(build)).not.toContain('test.json');
  });
});
