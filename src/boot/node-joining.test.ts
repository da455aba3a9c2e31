// A node's boot from VM start to first pod, built from evidence of the host, the guest, kubelet and the cluster.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { run } from '../cli/testing.ts';
import { memoryInput } from './load/input.ts';
import { loadInputs } from './load/load.ts';
import { clusterEventsSource } from './load/sources/kubernetes/cluster-events.ts';
import { kubeletFacts, parseKubeletLine } from './load/sources/kubernetes/kubelet-lines.ts';
import { vmStartSource } from './load/sources/platform/vm-start.ts';
import { evidence } from './model/evidence.ts';
import { mergeEvidence } from './model/merge-evidence.ts';
import type { BootRecord } from './model/record.ts';
import { blame } from './questions/blame.ts';
import { chain } from './questions/chain.ts';
import { timeline } from './questions/timeline.ts';
import { whatIf } from './questions/what-if.ts';
import { managerTimes, unit } from './testing.ts';

const KERNEL_MS = Date.UTC(2026, 10, 16, 12, 0, 2);
const BOOT_ID = '46bc72e7a99d4d429784493dd92e074f';
/** The host's clock is three seconds ahead of the guest's. */
const hostMs = (s: number) => KERNEL_MS + 3_000 + s * 1000;
const clock = {
  guestMs: KERNEL_MS + 60_000,
  hostBeforeMs: hostMs(60) - 4,
  hostAfterMs: hostMs(60) + 4,
  uptimeMs: 60_000,
};
const vm = { apiVersion: 'headstart.dev/v1', vmId: 'a', bootId: BOOT_ID, startedMs: hostMs(-2), clock };
const seen = (s: number, event: string, uid = 'n') => ({ atMs: hostMs(s), event, name: 'pool-000001', uid });

const KUBELET: readonly (readonly [number, string])[] = [
  [24.2, 'I1116 12:00:26.200000    1234 server.go:10] "Kubelet version" kubeletVersion="v1.35.8"'],
  [
    25,
    'I1116 12:00:27.000000    1234 bootstrap.go:10] "Using bootstrap kubeconfig to generate TLS client cert, key and kubeconfig file"',
  ],
  [28.45, 'I1116 12:00:30.400000    1234 csr.go:10] "Certificate signing request is issued" csr="node-csr-1"'],
  [30.9, 'I1116 12:00:32.900000    1234 kubelet_node_status.go:10] "Attempting to register node" node="pool-000001"'],
  [31.15, 'I1116 12:00:33.100000    1234 kubelet_node_status.go:10] "Successfully registered node" node="pool-000001"'],
  [
    33.28,
    'I1116 12:00:35.200000    1234 kubelet_node_status.go:10] "Fast updating node status as it just became ready"',
  ],
];
const EVENTS = [
  seen(28.4, 'csr-created', 'r'),
  seen(28.42, 'csr-issued', 'r'),
  seen(31.1, 'node-registered'),
  seen(33.3, 'node-ready'),
  seen(33.4, 'pod-bound', 'p'),
  seen(41.9, 'pod-running', 'p'),
];

function recordOf({
  kubelet = KUBELET,
  events = EVENTS,
  restartedS,
}: {
  kubelet?: typeof KUBELET;
  events?: object[];
  /** When an in-place configuration change restarted kubelet. */
  restartedS?: number;
} = {}): BootRecord {
  const facts = kubeletFacts(kubelet.flatMap(([s, line]) => ({ ...parseKubeletLine(line)!, atUs: s * 1e6 })));
  const journal = evidence({
    kind: 'journal-json',
    input: 'journal',
    clock: 'monotonic',
    bootId: BOOT_ID,
    anchors: [{ monotonicUs: 5e6, wallUs: KERNEL_MS * 1000 + 5e6, errorUs: 0 }],
    manager: managerTimes({ finishUs: 26e6 }),
    units: [unit('containerd.service', 18, 5), unit('kubelet.service', 24, 0.01, ['containerd.service'])],
    spans: facts.spans,
    milestones: facts.milestones,
  });
  const manager = evidence({
    kind: 'systemctl-units',
    input: 'units',
    clock: 'monotonic',
    bootId: BOOT_ID,
    units: journal.units!.map((one) =>
      one.name === 'kubelet.service' ? unit(one.name, restartedS ?? 24, 0.01, one.after) : one,
    ),
  });
  const lines = [{ ...vm, kind: 'ClusterEvents' }, ...events].map((line) => JSON.stringify(line));
  const [cluster] = clusterEventsSource.parse(memoryInput('events', lines.join('\n')));
  const [start] = vmStartSource.parse(memoryInput('vm', JSON.stringify({ ...vm, kind: 'VmStart', health: [] })));
  const [record, ...others] = mergeEvidence([{ isFolder: true, evidence: [journal, manager, cluster!, start!] }]);
  expect(others).toEqual([]);
  return record!;
}

describe('the boot of a joining node', () => {
  const record = recordOf();

  it('spans VM start to first pod on one clock, with waits separated from work', () => {
    const { rows, totalUs, waitUs, endsAt } = timeline(record);
    const shown = rows.map(({ name, startUs = 0, tookUs = 0, kind }) => [name, startUs / 1e6, tookUs / 1e6, kind]);
    expect(shown).toEqual([
      ['VM creation', -2, 2, 'wait'],
      ['vm-created', -2, 0, 'instant'],
      ['kernel', 0, 2, 'work'],
      ['kernel-start', 0, 0, 'instant'],
      ['userspace', 2, 24, 'work'],
      ['userspace', 2, 0, 'instant'],
      ['containerd.service', 18, 5, 'work'],
      ['kubelet.service', 24, 0.01, 'work'],
      ['kubelet, until its first line', 24.01, 0.19, 'work'],
      ['kubelet start to first registration', 24.2, 6.7, 'work'],
      ['kubelet-started', 24.2, 0, 'instant'],
      ['client certificate', 25, 3.45, 'work'],
      ['startup-finished', 26, 0, 'instant'],
      ['certificate request to certificate', 28.4, 0.02, 'wait'],
      ['register node', 30.9, 0.2, 'work'],
      ['registered to Ready', 31.1, 2.2, 'work'],
      ['node-registered', 31.1, 0, 'instant'],
      ['node-ready', 33.3, 0, 'instant'],
      ['first pod', 33.4, 8.5, 'work'],
      ['pod-running', 41.9, 0, 'instant'],
    ]);
    expect({ totalUs, endsAt }).toEqual({ totalUs: 35.3e6, endsAt: 'node-ready' });
    expect(waitUs).toBe(2.02e6);
  });

  it('has a chain from Ready, as the cluster saw it, back to the start of kubelet and before', () => {
    expect(chain(record).map(({ name, gapUs }) => [name, gapUs / 1e6])).toEqual([
      ['node-ready', 0],
      ['registered to Ready', 0],
      ['node-registered', 0],
      ['register node', 0],
      ['kubelet start to first registration', 0],
      ['kubelet, until its first line', 0],
      ['kubelet.service', 1],
      ['containerd.service', 0],
    ]);
    expect(
      chain(record, 'pod-running')
        .map(({ name }) => name)
        .slice(0, 3),
    ).toEqual(['pod-running', 'first pod', 'registered to Ready']);
  });

  it('takes Ready from the cluster, with its error', () => {
    expect(record.milestones.find(({ name }) => name === 'node-ready')).toMatchObject({
      atUs: 33.3e6,
      errorUs: 5_000,
      source: 'cluster',
    });
    const ids = record.spans.map(({ id }) => id);
    expect(ids).toContain('cluster:become-ready');
    expect(ids).not.toContain('kubelet:become-ready');
  });

  it('takes Ready from kubelet when the watch is less exact', () => {
    const unsure = EVENTS.map((event) => ({ ...event, errorMs: 900 }));
    const { milestones, spans } = recordOf({ events: unsure });
    expect(milestones.find(({ name }) => name === 'node-ready')).toMatchObject({ atUs: 33.28e6, source: 'kubelet' });
    expect(spans.map(({ id }) => id)).not.toContain('cluster:become-ready');
  });

  it('falls back to the cluster when kubelet logged nothing', () => {
    const silent = recordOf({ kubelet: [] });
    expect(chain(silent).map(({ name }) => name)).toEqual([
      'node-ready',
      'registered to Ready',
      'node-registered',
      'certificate request to certificate',
      'kubelet.service',
      'containerd.service',
    ]);
    expect(timeline(silent).endsAt).toBe('node-ready');
  });

  it('counts time in the cluster as a wait and time in kubelet as work', () => {
    const { work, waits } = blame(record);
    expect(waits.map(({ id }) => id)).toEqual(['cluster:certificate']);
    const start = work.find(({ id }) => id === 'kubelet:start')!;
    const certificate = start.parts.find(({ id }) => id === 'kubelet:tls-bootstrap')!;
    expect(certificate).toMatchObject({ tookUs: 3.45e6, waitUs: 20_000 });
    expect(certificate.parts.map(({ id }) => id)).toEqual(['cluster:certificate']);
  });

  it('edge case 55: stays the same when a later change restarts kubelet', () => {
    const before = chain(record).map(({ name }) => name);
    expect(chain(recordOf({ restartedS: 349 })).map(({ name }) => name)).toEqual(before);
    const restarted = timeline(recordOf({ restartedS: 349 }));
    expect(restarted.rows.map(({ name }) => name)).not.toContain('kubelet.service');
    expect(restarted.totalUs).toBe(timeline(record).totalUs);
    const silent = chain(recordOf({ restartedS: 349, kubelet: [] })).map(({ name }) => name);
    expect(silent.slice(0, 4)).toEqual(
      chain(recordOf({ kubelet: [] }))
        .slice(0, 4)
        .map(({ name }) => name),
    );
  });

  it('works with what-if', () => {
    const { savedUs } = whatIf(record, [{ kind: 'set', unit: 'containerd.service', tookUs: 1e6 }], 'kubelet.service');
    expect(savedUs).toBe(4e6);
  });

  it('survives an export and import as a boot record', async () => {
    const first = await run(['boot', 'export', '--format', 'json', '-i', '-'], { stdin: JSON.stringify(record) });
    expect(first.code, first.stderr).toBe(0);
    const { spans, milestones } = JSON.parse(first.stdout) as BootRecord;
    expect({ spans, milestones }).toEqual({ spans: record.spans, milestones: record.milestones });
  });
});

describe('a recorded node boot', () => {
  const fixture = (name: string) => fileURLToPath(new URL(`./fixtures/boots/${name}.tar.gz`, import.meta.url));
  const [node, other] = [fixture('node-boot'), fixture('first-boot')];

  it('has a chain without gaps from VM start to Ready', async () => {
    const [boot] = await loadInputs([node], { readStdin: () => new Uint8Array(), nowUs: 0 });
    const { endsAt, totalUs, rows } = timeline(boot!);
    expect(endsAt).toBe('node-ready');
    // On the host's clock: the VM process started at 1794833031830, the watch saw Ready at 1794833167783.
    expect(Math.abs(totalUs! - 135_953_000)).toBeLessThan(4_000);
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'VM creation',
        'kernel',
        'containerd.service',
        'apply',
        'certificate request to certificate',
      ]),
    );
    const links = chain(boot!);
    expect(links.slice(0, 7).map(({ name }) => name)).toEqual([
      'node-ready',
      'registered to Ready',
      'node-registered',
      'register node',
      'kubelet start to first registration',
      'kubelet, until its first line',
      'kubelet.service',
    ]);
    expect(Math.max(...links.slice(0, 7).map(({ gapUs }) => gapUs))).toBeLessThan(200_000);
  });

  it('gives the chain shown in docs/inputs.md', async () => {
    const doc = readFileSync(fileURLToPath(new URL('../../docs/inputs.md', import.meta.url)), 'utf8');
    const shown = /```\n\$ headstart boot chain node-boot\.tar\.gz\n([\s\S]*?) *…\n```/.exec(doc)?.[1] ?? 'nothing';
    const { stdout } = await run(['boot', 'chain', '-i', node]);
    expect(stdout.startsWith(shown), shown).toBe(true);
  });

  it.each([
    ['compare', ['boot', 'compare', other, node]],
    ['report', ['boot', 'report', '-i', node, '-o', '-']],
    ['export', ['boot', 'export', '--format', 'chrome-trace', '-i', node]],
    ['blame', ['boot', 'blame', '-i', node]],
    ['what-if', ['boot', 'what-if', '--scan', '-i', node]],
  ])('is accepted by %s', async (_, argv) => {
    const { code, stdout, stderr } = await run(argv);
    expect(code, stderr).toBe(0);
    expect(stdout).not.toBe('');
  });
});
