import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Argv, CommandOptions, CommandResult, RunCommand } from '../../../base/command.ts';
import { KUBE_SERVERS } from '../server-flags.ts';
import { GO_PACKAGES, kubeModule } from './build-program.ts';
import { readGivenPrograms } from './given-programs.ts';
import {
  BUILT_VERSION,
  checkVersion,
  ensurePrograms,
  missingPrograms,
  type ProgramDeps,
  programsFolder,
} from './programs.ts';

const GIB = 2 ** 30;

let cache: string;
let built: Argv[];
let goVersion: string;
let builds: (output: string, options: CommandOptions) => Partial<CommandResult> | Promise<Partial<CommandResult>>;
let free: number;

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'headstart-programs-'));
  built = [];
  goVersion = 'go1.26.8';
  free = 10 * GIB;
  builds = (output) => {
    writeFileSync(output, 'program');
    chmodSync(output, 0o755);
    return {};
  };
});
afterEach(() => rmSync(cache, { recursive: true }));

const ran = (more: Partial<CommandResult>): CommandResult => ({
  outcome: 'exited',
  code: 0,
  stdout: Buffer.alloc(0),
  stderr: '',
  ...more,
});
const run: RunCommand = async (argv, options = {}) => {
  if (argv.includes('env'))
    return ran({ stdout: Buffer.from(JSON.stringify({ GOVERSION: goVersion, GOCACHE: join(cache, 'go') })) });
  built.push(argv);
  return ran(await builds(argv[argv.indexOf('-o') + 1]!, options));
};
const deps = (): ProgramDeps => ({ cache, env: { PATH: '/bin' }, run, freeBytes: async () => free });
const folder = () => programsFolder(cache, BUILT_VERSION);
const left = () => (existsSync(folder()) ? readdirSync(folder()) : []);

describe('the programs of Kubernetes', () => {
  it('are all tools of their module, so that go.sum has the checksums of all dependencies', () => {
    const tools = /^tool \(\n(.*?)^\)/ms.exec(readFileSync(join(kubeModule(), 'go.mod'), 'utf8'))?.[1]?.match(/\S+/g);
    expect(tools).toEqual(Object.values(GO_PACKAGES).toSorted());
  });

  it('are built once, with the version they report', async () => {
    expect(await ensurePrograms(['etcd', 'kube-apiserver'], 'v1.35.8', deps())).toBe(folder());
    expect(left().sort()).toEqual(['etcd', 'kube-apiserver']);
    await ensurePrograms(['etcd', 'kube-apiserver'], '1.35.8', deps());
    expect(built).toHaveLength(2);
    const argv = built[1]!.join(' ');
    expect(argv).toContain('version.gitVersion=v1.35.8');
    expect(argv).toContain('version.gitMinor=35');
    expect(argv).toMatch(/^setpriv --pdeathsig KILL go .*k8s\.io\/kubernetes\/cmd\/kube-apiserver$/);
    expect(missingPrograms(folder(), ['etcd', 'kubectl'])).toEqual(['kubectl']);
  });

  it('are built by one of several concurrent callers', async () => {
    await Promise.all(Array.from({ length: 4 }, () => ensurePrograms(['etcd'], BUILT_VERSION, deps())));
    expect(built).toHaveLength(1);
  });

  it('report the progress of a build by hundreds of packages', async () => {
    const told: string[] = [];
    builds = (output, { onStderr }) => {
      for (let i = 0; i < 250; i++) onStderr?.(`package/${i}\n`);
      writeFileSync(output, '', { mode: 0o755 });
      return {};
    };
    await ensurePrograms(['etcd'], BUILT_VERSION, deps(), { onWaiting: (what) => told.push(what) });
    expect([...new Set(told)].filter((what) => what.startsWith('Go'))).toEqual([
      'Go to build etcd v1.35.8',
      'Go to build etcd v1.35.8 (100 packages so far)',
      'Go to build etcd v1.35.8 (200 packages so far)',
    ]);
  });

  it('that fail to build leave no files, and the error has the end of the output of Go', async () => {
    builds = (output, { onStderr }) => {
      mkdirSync(dirname(output), { recursive: true });
      writeFileSync(output, 'half');
      onStderr?.(`${'package\n'.repeat(20_000)}main.go:1: no such thing\n`);
      return { code: 1 };
    };
    await expect(ensurePrograms(['etcd'], BUILT_VERSION, deps())).rejects.toMatchObject({
      code: 'cluster/build-failed',
      message: expect.stringMatching(/^could not build etcd .*main\.go:1: no such thing$/s),
    });
    expect(left()).toEqual([]);
  });

  it('that a killed build left incomplete are built again', async () => {
    mkdirSync(join(folder(), '.partial-etcd-x'), { recursive: true });
    mkdirSync(join(folder(), '.partial-kubectl-x'));
    await ensurePrograms(['etcd'], BUILT_VERSION, deps());
    expect(left().sort()).toEqual(['.partial-kubectl-x', 'etcd']);
  });

  it('are not built when interrupted', async () => {
    const stop = new AbortController();
    builds = () => {
      stop.abort(new Error('interrupted'));
      return { outcome: 'aborted', code: null };
    };
    await expect(ensurePrograms(['etcd'], BUILT_VERSION, deps(), { signal: stop.signal })).rejects.toThrow(
      'interrupted',
    );
    expect(left()).toEqual([]);
  });

  it('need a recent Go, disk space and a version that can be built', async () => {
    const reject = (code: string, version = BUILT_VERSION) =>
      expect(ensurePrograms(['etcd'], version, deps())).rejects.toMatchObject({ code });
    goVersion = 'go1.24.1';
    await reject('cluster/no-go');
    goVersion = 'go1.26.0';
    free = GIB / 2;
    await reject('cluster/no-space');
    free = 10 * GIB;
    await reject('cluster/no-programs', 'v1.34.2');
    expect(built).toEqual([]);
    expect(left()).toEqual([]);
  });

  it('need a cache folder, and a build cache of Go, that can be written', async () => {
    const taken = join(cache, 'taken');
    writeFileSync(taken, '');
    for (const place of [taken, join(taken, 'sub')])
      await expect(ensurePrograms(['etcd'], BUILT_VERSION, { ...deps(), cache: place })).rejects.toMatchObject({
        code: 'cli/cache-unwritable',
        message: expect.stringContaining(place),
      });
    writeFileSync(join(cache, 'go'), '');
    await expect(ensurePrograms(['etcd'], BUILT_VERSION, deps())).rejects.toMatchObject({
      code: 'cluster/go-cache-unwritable',
      next: expect.stringContaining('GOCACHE'),
    });
    rmSync(folder(), { recursive: true });
    writeFileSync(folder(), '');
    await expect(ensurePrograms(['etcd'], BUILT_VERSION, deps())).rejects.toMatchObject({
      code: 'cli/cache-unwritable',
      message: expect.stringContaining(folder()),
    });
    expect(built).toEqual([]);
  });

  it('of another version are used if they exist', async () => {
    const other = programsFolder(cache, '1.34.2');
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, 'etcd'), '', { mode: 0o755 });
    expect(await ensurePrograms(['etcd'], '1.34.2', deps())).toBe(other);
  });

  it.each(['', 'v', '1.35', 'v2.0.0', '../1.35.8', '1.35.8 -X x', 'v1.35.8\n', '1.9999.1'])(
    'are not of version %j',
    (text) => {
      expect(() => checkVersion(text)).toThrow(expect.objectContaining({ code: 'cluster/bad-version' }));
    },
  );
});

describe('given programs', () => {
  const give = (...names: readonly string[]) => {
    for (const name of names) writeFileSync(join(cache, name), '', { mode: 0o755 });
  };
  const telling =
    (text: string): RunCommand =>
    async () =>
      ran({ stdout: Buffer.from(text) });

  it('report their version', async () => {
    give(...KUBE_SERVERS);
    expect(await readGivenPrograms(cache, telling('Kubernetes v1.34.2-rc.1\n'))).toEqual({
      folder: cache,
      version: 'v1.34.2',
    });
  });

  it('are refused if one is missing or is not Kubernetes', async () => {
    give('etcd');
    await expect(readGivenPrograms(cache, telling(''))).rejects.toThrow(
      /has no executable kube-apiserver, kube-controller-manager/,
    );
    give(...KUBE_SERVERS);
    chmodSync(join(cache, 'kube-scheduler'), 0o644);
    await expect(readGivenPrograms(cache, telling(''))).rejects.toThrow(/has no executable kube-scheduler/);
    chmodSync(join(cache, 'kube-scheduler'), 0o755);
    await expect(readGivenPrograms(cache, telling('hello'))).rejects.toThrow(/does not report its version/);
    expect(readFileSync(join(cache, 'etcd'), 'utf8')).toBe('');
  });
});
