// Every --json answer is one document, and docs/json.md names its kind and its fields.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { anIdentity } from '../identity/testing.ts';
import { INITIAL } from '../node/daemon/machine.ts';
import { statusOf } from '../node/status/node-status.ts';
import { VERBS } from './main.ts';
import { run } from './testing.ts';

const boots = fileURLToPath(new URL('../boot/fixtures/boots/', import.meta.url));
const [first, clone] = [join(boots, 'first-boot.tar.gz'), join(boots, 'clone-boot.tar.gz')];
const imageManifest = fileURLToPath(new URL('../../examples/image/image.yaml', import.meta.url));
const arrivals = fileURLToPath(new URL('../../examples/standby/arrivals.csv', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'headstart-json-'));
const budget = join(folder, 'budget.yaml');
writeFileSync(budget, 'total: 2min\nunits: {cloud-init.service: 5s}\n');
const nodeConfig = join(folder, 'node-config.yaml');
writeFileSync(
  nodeConfig,
  'apiVersion: headstart.dev/v1\nkind: NodeConfig\nmetadata: {generation: 1}\nspec: {kubernetes: {version: 1.34.2}}\n',
);
const node = join(folder, 'node');
mkdirSync(join(node, 'run/headstart'), { recursive: true });
writeFileSync(
  join(node, 'run/headstart/status.json'),
  JSON.stringify(statusOf({ ...INITIAL, isReady: true }, anyDaemon())),
);
const facts = ['a.json', 'b.json'].map((name) => join(folder, name));
for (const file of facts) writeFileSync(file, JSON.stringify(anIdentity('node-a')));
afterAll(() => rmSync(folder, { recursive: true }));

function anyDaemon() {
  const clone = { code: 'clone/new-identity', detail: 'x' } as const;
  return { source: 'Azure userData', clone, daemon: { pid: 1, startedAt: '2026-11-16T05:00:00.000Z' }, skewMs: 0 };
}

const text = readFileSync(new URL('../../docs/json.md', import.meta.url), 'utf8');
const documented = sectionsOf(text);
const records = join(folder, 'records');

/** These verbs need VMs, a cloud or a cluster, or run until they are stopped: the kinds that they print are read from their sources. */
const UNASKED = Object.keys(VERBS).filter((path) =>
  /^(?:pool|prototype|sim|cluster) |^standby (?!plan)|^image (?!check|schema)|^node (?:run|plan|apply|rollback|join)$/.test(
    path,
  ),
);
const PRINTED_UNASKED = kindsIn(
  ...readdirSync(new URL('./pool/', import.meta.url)).map((name) => `./pool/${name}`),
  ...readdirSync(new URL('./prototype/', import.meta.url)).map((name) => `./prototype/${name}`),
  ...readdirSync(new URL('./standby/', import.meta.url)).map((name) => `./standby/${name}`),
  ...readdirSync(new URL('./image/', import.meta.url)).map((name) => `./image/${name}`),
  ...readdirSync(new URL('./cluster/', import.meta.url)).map((name) => `./cluster/${name}`),
  ...['run', 'plan', 'apply', 'rollback', 'join'].map((verb) => `./node/${verb}.ts`),
  './sim-azure.ts',
  './sim-imds.ts',
);

/** The command line, the kind of the answer, and the exit code if it is not 0. */
const ASKED: readonly (readonly [argv: string[], kind: string, code?: number])[] = [
  [['boot', 'timeline', '-i', first], 'BootTimeline'],
  [['boot', 'blame', '-i', first], 'BootBlame'],
  [['boot', 'chain', '-i', first], 'BootChain'],
  [['boot', 'what-if', '-i', first, '--set', 'cloud-init.service=2s'], 'WhatIf'],
  [['boot', 'what-if', '-i', first, '--scan'], 'WhatIfScan'],
  [['boot', 'compare', first, clone], 'BootCompare'],
  [['boot', 'check', '--budget', budget, '-i', first], 'BootCheck', 3],
  [['boot', 'check', first, '--against', clone], 'BootCheck', 3],
  [['boot', 'report', first, '-o', join(folder, 'report.html')], 'BootReport'],
  [['boot', 'export', '-i', first], 'BootRecord'],
  [['boot', 'export', '-i', first, '--format', 'csv', '-o', join(folder, 'boot.csv')], 'BootExport'],
  [['boot', 'export', '-i', first, '--otlp', 'http://localhost:4318', '--dry-run'], 'BootExport'],
  [['boot', 'collect', '--host', 'node-a', '--dry-run'], 'BootCollectionPlan'],
  [['boot', 'record', '-i', first, '--dir', records, '--dry-run'], 'BootRecorded'],
  [['boot', 'record', '-i', first, '--dir', records], 'BootRecorded'],
  [['boot', 'record', '--install', '--root', folder, '--dry-run'], 'BootRecordInstall'],
  [['boot', 'record', '--uninstall', '--root', folder, '--dry-run'], 'BootRecordUninstall'],
  [['boot', 'history', '--dir', records], 'BootHistory'],
  [['boot', 'systemd', 'time', '-i', first], 'SystemdTime'],
  [['boot', 'systemd', 'blame', '-i', first], 'SystemdBlame'],
  [['boot', 'systemd', 'critical-chain', '-i', first], 'SystemdCriticalChain'],
  [['boot', 'systemd', 'plot', '-i', first], 'SystemdPlot'],
  [['boot', 'systemd', 'dot', '-i', first], 'SystemdDot'],
  [['boot', 'cloud-init', 'show', '-i', first], 'CloudInitShow'],
  [['boot', 'cloud-init', 'blame', '-i', first], 'CloudInitBlame'],
  [['boot', 'cloud-init', 'dump', '-i', first], 'CloudInitDump'],
  [['boot', 'cloud-init', 'boot', '-i', first], 'CloudInitBoot'],
  [['node', 'check', nodeConfig, '--values'], 'NodeConfigCheck'],
  [['node', 'check', budget], 'NodeConfigCheck', 3],
  [['node', 'distinct', '--collect', '--root', node], 'NodeIdentity'],
  [['node', 'distinct', ...facts], 'NodeDistinct', 3],
  [['node', 'schema'], 'NodeConfigSchema'],
  [['node', 'schema', 'kubelet', '--fields'], 'NodeConfigSchema'],
  [['node', 'convert', nodeConfig, '--to', 'v1alpha1'], 'NodeConfigConverted'],
  [['node', 'status', '--root', node], 'NodeStatus'],
  [['node', 'history', '--root', node], 'NodeHistory'],
  [['node', 'wait', '--root', node], 'NodeWait'],
  [['image', 'check', '-f', imageManifest], 'ImageManifestCheck'],
  [['image', 'check', '-f', budget], 'ImageManifestCheck', 3],
  [['image', 'check', '--rules'], 'ImageRules'],
  [['image', 'schema'], 'ImageManifestSchema'],
  [['standby', 'plan', 'p', '--home', folder, '--arrivals', arrivals, '--ready', 'frozen=2s,cold=25s'], 'StandbyPlan'],
  [['doctor', 'boot'], 'Doctor'],
  [['completion', 'bash'], 'Completion'],
  [['version'], 'Version'],
  [['boot', 'timeline', '-i', join(folder, 'nosuch')], 'Error', 2],
];

describe('docs/json.md', { timeout: 60_000 }, () => {
  const asked = ASKED.map(([argv, kind, code = 0]) => ({ line: argv.join(' '), argv, kind, code }));
  it.each(asked)('names every field that $line prints as $kind', async ({ argv, kind, code }) => {
    const ran = await run([...argv, '--json']);
    expect(ran.code, ran.stderr).toBe(code);
    const { apiVersion, kind: printed, ...body } = JSON.parse(ran.stdout) as Record<string, unknown>;
    expect({ apiVersion, kind: printed }).toEqual({ apiVersion: 'headstart.dev/v1', kind });
    expect(documented.get(kind), kind).toEqual(expect.arrayContaining(Object.keys(body)));
  });

  it('covers every verb', () => {
    const missing = Object.keys(VERBS).filter((path) => !asked.some(({ line }) => `${line} `.startsWith(`${path} `)));
    expect(missing).toEqual(UNASKED);
  });

  it('has a section for every kind that the other verbs print', () => {
    expect(PRINTED_UNASKED.length).toBeGreaterThanOrEqual(UNASKED.length);
    expect(PRINTED_UNASKED.filter((kind) => !documented.has(kind))).toEqual([]);
    expect(UNASKED.filter((path) => !text.includes(`\`${path}\``))).toEqual([]);
  });

  it('describes no kind that no verb prints', () => {
    const printed = new Set([...ASKED.map(([, kind]) => kind), ...PRINTED_UNASKED, 'BootCollection']); // collecting needs a machine
    expect([...documented.keys()].filter((kind) => !printed.has(kind))).toEqual([]);
  });

  it('holds for refused options: they print an Error, never two documents', async () => {
    const { code, stdout, stderr } = await run(['boot', 'export', '-i', first, '--format', 'csv', '--json']);
    expect({ code, kind: JSON.parse(stdout).kind }).toEqual({ code: 2, kind: 'Error' });
    expect(stderr).toContain('both csv and --json would go to standard output');
  });
});

function kindsIn(...files: string[]): string[] {
  const sources = files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'));
  const printing = /(?:printJson(?:Line)?|showProgress)\(\s*deps,\s*'(\w+)'/g;
  return sources.flatMap((source) => [...source.matchAll(printing)].map(([, kind]) => kind!));
}

/** Maps each heading to the words in backquotes below it. */
function sectionsOf(text: string): Map<string, string[]> {
  const sections = text.split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => [
      section.slice(0, section.indexOf('\n')),
      [...section.matchAll(/`(\w+)`/g)].map((match) => match[1]!),
    ]),
  );
}
