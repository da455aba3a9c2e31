import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import type { JsonObject } from '../../schema/json.ts';
import { desiredState } from '../desired/desired.ts';
import { type DesiredState, NOTHING_OWNED, type Ownership, type Plan, type PlanStep } from '../desired/tree.ts';
import type { NodeConfig } from '../document/config.ts';
import { aConfig, anyConfig, CANARY, OTHER_PEM, PEM, someFacts } from '../document/configs.testing.ts';
import { Machine } from '../machine.testing.ts';
import type { Facts } from '../observe/facts.ts';
import { observeNode } from '../observe/observe.ts';
import { rank } from './disruption.ts';
import { parseOwnership, renderOwnership } from './ownership-file.ts';
import { plan } from './plan.ts';
import { judgePlan } from './policy.ts';
import { planToJson, renderNodePlan } from './render-plan.ts';

const NOW_MS = Date.UTC(2026, 10, 16);
const EFFORT = process.env.HEADSTART_CAMPAIGN === 'full' ? 25 : 1;
const NOTHING: DesiredState = { files: new Map(), live: new Map(), kubeletRoot: '/var/lib/kubelet', problems: [] };

/** A machine and its ownership. */
class Node {
  readonly machine = new Machine();
  ownership: Ownership = NOTHING_OWNED;

  async planFor(want: NodeConfig | DesiredState, facts: Facts = someFacts): Promise<Plan> {
    const wanted = 'live' in want ? want : desiredState(want, facts);
    const context = { nowMs: NOW_MS, node: this.machine.node };
    return plan(await observeNode(this.machine, wanted, this.ownership, context), wanted, this.ownership);
  }

  async become(want: NodeConfig | DesiredState, facts: Facts = someFacts): Promise<Plan> {
    const made = await this.planFor(want, facts);
    this.machine.apply(made.steps);
    this.ownership = parseOwnership(renderOwnership(made.ownership));
    this.applyAsControlPlane(made);
    return made;
  }

  private applyAsControlPlane({ changes }: Plan): void {
    for (const { what, class: level, diff } of changes) {
      if (level !== 'C' || diff.kind !== 'value') continue;
      const key = what.slice('taint '.length);
      if (diff.to === undefined) this.machine.node!.taints.delete(key);
      else this.machine.node!.taints.set(key, diff.to);
    }
  }

  /** kubelet runs with its own credential; the bootstrap file is gone. */
  async serve(config: NodeConfig): Promise<void> {
    this.machine.join();
    await this.become(config);
  }
}

async function aNode(config: NodeConfig, isInService: boolean): Promise<Node> {
  const node = new Node();
  await node.become(config);
  if (isInService) await node.serve(config);
  return node;
}

/** A node in service with this configuration applied. */
const inService = (config: NodeConfig) => aNode(config, true);

const verbs = (steps: readonly PlanStep[]) =>
  steps.map((step) => ('unit' in step ? `${step.do} ${step.unit}` : step.do));

describe('any plan', () => {
  it('gives an empty plan after it is applied', async () => {
    await fc.assert(
      fc.asyncProperty(anyConfig, anyConfig, fc.boolean(), async (a, b, isInService) => {
        const node = await aNode(a, isInService);
        for (const config of [a, b]) {
          await node.become(config);
          const again = await node.planFor(config);
          expect({ changes: again.changes, steps: again.steps, problems: again.problems }).toEqual({
            changes: [],
            steps: [],
            problems: [],
          });
          expect(again.ownership).toEqual(node.ownership);
        }
      }),
      { numRuns: 60 * EFFORT },
    );
  });

  it('restores A byte for byte after A, B, A', async () => {
    await fc.assert(
      fc.asyncProperty(anyConfig, anyConfig, fc.boolean(), async (a, b, isInService) => {
        const node = await aNode(a, isInService);
        const before = node.machine.snapshot();
        const owned = node.ownership;
        await node.become(b);
        await node.become(a);
        expect(node.machine.snapshot()).toEqual(before);
        expect(node.ownership).toEqual(owned);
      }),
      { numRuns: 60 * EFFORT },
    );
  });

  it('restores the image when everything leaves the document', async () => {
    await fc.assert(
      fc.asyncProperty(anyConfig, anyConfig, async (a, b) => {
        const node = new Node();
        const image = node.machine.snapshot();
        await node.become(a);
        await node.become(b);
        await node.become(NOTHING);
        expect(node.machine.snapshot()).toEqual(image);
        expect(node.ownership).toEqual(NOTHING_OWNED);
      }),
      { numRuns: 40 * EFFORT },
    );
  });

  it('is deterministic', async () => {
    await fc.assert(
      fc.asyncProperty(anyConfig, anyConfig, async (a, b) => {
        const node = await inService(a);
        expect(await node.planFor(b)).toEqual(await node.planFor(b));
      }),
      { numRuns: 25 * EFFORT },
    );
  });

  it('is at least as disruptive as each of its changes, and each change as each of its settings', async () => {
    await fc.assert(
      fc.asyncProperty(anyConfig, anyConfig, fc.boolean(), async (a, b, isInService) => {
        const made = await (await aNode(a, isInService)).planFor(b);
        for (const change of made.changes) {
          expect(rank(made.class)).toBeGreaterThanOrEqual(rank(change.class));
          for (const leaf of change.leaves) expect(rank(change.class)).toBeGreaterThanOrEqual(rank(leaf.class));
        }
      }),
      { numRuns: 25 * EFFORT },
    );
  });

  it('has the same result if it is interrupted after any step and planned again', async () => {
    await fc.assert(
      fc.asyncProperty(anyConfig, anyConfig, fc.boolean(), fc.nat(), async (a, b, isInService, cut) => {
        const whole = await aNode(a, isInService);
        await whole.become(b);

        const node = await aNode(a, isInService);
        const made = await node.planFor(b);
        node.ownership = made.ownershipMeanwhile;
        const done = made.steps.slice(0, made.steps.length === 0 ? 0 : cut % made.steps.length);
        node.machine.apply(done);
        node.machine.isReloadDue = false; // as after a reboot: everything is read again
        await node.become(b);
        if (done.some((step) => step.do === 'drain')) node.machine.isCordoned = false;
        if (done.some((step) => step.do === 'stop-unit')) return; // the resumed apply starts it again, not this plan
        expect(node.machine.snapshot()).toEqual(whole.machine.snapshot());
        expect(node.ownership).toEqual(whole.ownership);
      }),
      { numRuns: 60 * EFFORT },
    );
  });

  it('prints no secret in any format', async () => {
    await fc.assert(
      fc.asyncProperty(anyConfig, anyConfig, fc.boolean(), async (a, b, isInService) => {
        const node = await aNode(a, isInService);
        for (const want of [b, NOTHING]) {
          const made = await node.planFor(want);
          const verdict = judgePlan(made, b.update, { kubeletPhase: 'running', nowMs: NOW_MS, isOrdered: false });
          const printed = [
            renderNodePlan(made, verdict),
            JSON.stringify(planToJson(made, verdict)),
            JSON.stringify(made),
            inspect(made, { depth: null }),
          ];
          for (const text of printed) expect(text).not.toContain(CANARY);
        }
      }),
      { numRuns: 40 * EFFORT },
    );
  });

  it('never throws, for any free-form values', async () => {
    const key = fc.oneof(
      fc.constantFrom('__proto__', 'constructor', 'toString', 'maxPods', 'evictionHard', ''),
      fc.string(),
    );
    const anything = fc
      .dictionary(key, fc.jsonValue({ maxDepth: 2 }))
      .map((one): JsonObject => JSON.parse(JSON.stringify(one)));
    await fc.assert(
      fc.asyncProperty(anything, anything, fc.string(), async (config, options, toml) => {
        const { kubelet, containerd } = aConfig();
        const runtimes = { other: { type: 'io.containerd.runc.v2', options } };
        const want = aConfig({ kubelet: { ...kubelet, config }, containerd: { ...containerd, runtimes, toml } });
        const node = await aNode(want, true);
        expect((await node.planFor(want)).steps).toEqual([]);
        await node.become(aConfig());
      }),
      { numRuns: 40 * EFFORT },
    );
  });

  it('has no duplicate steps, and no unnecessary ones for a node that is not in service', async () => {
    await fc.assert(
      fc.asyncProperty(anyConfig, anyConfig, async (a, b) => {
        const { steps } = await (await aNode(a, false)).planFor(b);
        const keys = steps.map((step) => JSON.stringify({ ...step, content: undefined }));
        expect(new Set(keys).size).toBe(keys.length);
        for (const verb of ['drain', 'uncordon', 'reboot', 'restart-unit kubelet.service']) {
          expect(verbs(steps)).not.toContain(verb);
        }
      }),
      { numRuns: 25 * EFFORT },
    );
  });
});

describe('the plan for a node in service', () => {
  it('changes a kernel setting live and restarts nothing', async () => {
    const node = await inService(aConfig());
    const { os } = aConfig();
    const made = await node.planFor(aConfig({ os: { ...os, sysctls: { 'vm.max_map_count': '262144' } } }));
    expect(made.class).toBe(1);
    expect(verbs(made.steps)).toEqual(['make-folder', 'write-file', 'set']);
    expect(made.changes.map((change) => change.diff)).toContainEqual({ kind: 'value', from: '65530', to: '262144' });
  });

  it.each<[string, Partial<NodeConfig['kubelet']>, Partial<NodeConfig['kubelet']>, Plan['class'], string]>([
    ['more pods', { maxPods: 100 }, { maxPods: 200 }, 2, 'maxPods'],
    ['fewer pods', { maxPods: 100 }, { maxPods: 50 }, 4, 'maxPods'],
    ['fewer pods than the image allows', {}, { maxPods: 50 }, 4, 'maxPods'],
    ['the image default of pods again', { maxPods: 50 }, {}, 2, 'maxPods'],
    [
      'another eviction threshold',
      {},
      { evictionHard: { 'memory.available': '1Gi' } },
      2,
      'evictionHard.memory.available',
    ],
    [
      'more reserved',
      { kubeReserved: { memoryBytes: 100 } },
      { kubeReserved: { memoryBytes: 200 } },
      4,
      'kubeReserved.memory',
    ],
    [
      'less reserved',
      { kubeReserved: { cpuMillis: 200 } },
      { kubeReserved: { cpuMillis: 100 } },
      2,
      'kubeReserved.cpu',
    ],
    ['another CPU policy', {}, { cpuManagerPolicy: 'static' }, 5, 'cpuManagerPolicy'],
    ['other control groups', {}, { config: { systemCgroups: '/system' } }, 6, 'systemCgroups'],
    ['an unknown field', {}, { config: { fromTheFuture: 1 } }, 4, 'fromTheFuture'],
    ['another provider id', {}, { config: { providerID: 'other' } }, 7, 'providerID'],
    ['a harmless gate', {}, { featureGates: { GracefulNodeShutdown: false } }, 2, 'featureGates.GracefulNodeShutdown'],
    ['a gate about pods', {}, { featureGates: { NodeSwap: false } }, 4, 'featureGates.NodeSwap'],
    ['another log level', {}, { verbosity: 4 }, 2, '--v'],
    ['an unknown flag', {}, { flags: { 'x-y': '1' } }, 4, '--x-y'],
  ])('classifies %s', async (_what, from, to, level, leaf) => {
    const { kubelet } = aConfig();
    const node = await inService(aConfig({ kubelet: { ...kubelet, ...from } }));
    const made = await node.planFor(aConfig({ kubelet: { ...kubelet, ...to } }));
    expect(made.class).toBe(level);
    const leaves = made.changes.flatMap((change) => change.leaves);
    expect(leaves.find((one) => one.path === leaf)?.class).toBe(level);
  });

  it('restarts kubelet once, after everything it reads is in place', async () => {
    const { kubelet } = aConfig();
    const node = await inService(aConfig());
    const made = await node.planFor(
      aConfig({ kubelet: { ...kubelet, verbosity: 5, config: { eventBurst: 7 } }, trustedCertificates: { corp: PEM } }),
    );
    expect(verbs(made.steps)).toEqual([
      'write-file',
      'write-file',
      'write-file',
      'update-trust',
      'restart-unit containerd.service',
      'restart-unit kubelet.service',
    ]);
  });

  it('drains, stops kubelet, deletes its stale state, starts it and uncordons', async () => {
    const { kubelet } = aConfig();
    const node = await inService(aConfig());
    const made = await node.become(aConfig({ kubelet: { ...kubelet, cpuManagerPolicy: 'static' } }));
    expect(verbs(made.steps)).toEqual([
      'drain',
      'stop-unit kubelet.service',
      'write-file',
      'remove-state',
      'start-unit kubelet.service',
      'uncordon',
    ]);
    expect(made.steps).toContainEqual({ do: 'remove-state', path: '/var/lib/kubelet/cpu_manager_state' });
  });

  it('reboots for huge pages and restarts nothing before', async () => {
    const { os } = aConfig();
    const made = await (await inService(aConfig())).planFor(aConfig({ os: { ...os, hugePages: { '2Mi': 512 } } }));
    expect(made.class).toBe(6);
    expect(verbs(made.steps)).toEqual(['drain', 'make-folder', 'write-file', 'apply-tmpfiles', 'reboot', 'uncordon']);
  });

  it('restarts nothing for a setting that another file overrides', async () => {
    const { kubelet } = aConfig();
    const overridden = { ...kubelet, config: { maxPods: 70 } };
    const node = await inService(aConfig({ kubelet: overridden }));
    const made = await node.planFor(aConfig({ kubelet: { ...overridden, maxPods: 20 } }));
    expect(made.class).toBe(0);
    expect(verbs(made.steps)).toEqual(['write-file']);
  });

  it('changes labels, leaves taints to the control plane, and restarts kubelet for neither', async () => {
    const node = await inService(aConfig({ labels: { tier: 'a', old: 'x' } }));
    const want = aConfig({ labels: { tier: 'b' }, taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] });
    const made = await node.planFor(want);
    expect(made.class).toBe('C');
    expect(made.steps.filter((step) => step.do === 'set' || step.do === 'clear')).toEqual([
      { do: 'clear', kind: 'label', key: 'old' },
      { do: 'set', kind: 'label', key: 'tier', value: 'b' },
    ]);
    expect(verbs(made.steps)).not.toContain('restart-unit kubelet.service');
    expect(made.changes.filter((change) => change.class === 'C').map((change) => change.what)).toEqual([
      'taint dedicated:NoSchedule',
    ]);
  });

  it('does not change labels and taints that are not in the document', async () => {
    const node = await inService(aConfig({ labels: { tier: 'a' } }));
    node.machine.node!.labels.set('topology.kubernetes.io/zone', '1');
    node.machine.node!.taints.set('node.kubernetes.io/not-ready:NoSchedule', '');
    expect((await node.planFor(aConfig({ labels: { tier: 'a' } }))).changes).toEqual([]);
  });

  it('does not confuse a value with a keyword', async () => {
    const node = await inService(aConfig({ labels: { tier: 'fixed' } }));
    node.machine.node!.labels.set('tier', 'fixed');
    expect((await node.planFor(aConfig({ labels: { tier: 'done' } }))).steps).toContainEqual({
      do: 'set',
      kind: 'label',
      key: 'tier',
      value: 'done',
    });
    const { os } = aConfig();
    node.machine.kernel.set('/proc/sys/kernel/core_pattern', 'stay');
    await node.become(aConfig({ os: { ...os, sysctls: { 'kernel.core_pattern': 'core' } } }));
    await node.become(aConfig());
    expect(node.machine.kernel.get('/proc/sys/kernel/core_pattern')).toBe('stay');
  });

  it('does not start a finished oneshot again until its file changes', async () => {
    const unit = (command: string) => ({
      'once.service': {
        content: `[Service]\nType=oneshot\nExecStart=${command}\n`,
        dropIns: {},
        isMasked: false,
        isActive: true,
      },
    });
    const node = await inService(aConfig({ units: unit('/bin/a') }));
    node.machine.finish('once.service');
    expect((await node.planFor(aConfig({ units: unit('/bin/a') }))).steps).toEqual([]);
    expect(verbs((await node.planFor(aConfig({ units: unit('/bin/b') }))).steps)).toEqual([
      'write-file',
      'daemon-reload',
      'restart-unit once.service',
    ]);
  });

  it('removes a swap file that is off since the boot', async () => {
    const swap = { file: '/var/lib/swapfile', sizeBytes: 1 << 20, behavior: 'NoSwap' } as const;
    const node = await inService(aConfig({ os: { ...aConfig().os, swap } }));
    node.machine.swaps.clear();
    await node.become(aConfig());
    expect(node.machine.files.has(swap.file)).toBe(false);
  });

  it('removes existing firewall rules with our name', async () => {
    const node = new Node();
    node.machine.rules = 'comment "headstart 0123456789ab 1/1"';
    await node.become(aConfig());
    await node.become(aConfig({ metadataAccess: { isBlockedForPods: false, allowedCidrs: [] } }));
    expect(node.machine.rules).toBeUndefined();
  });

  it('has no steps for another name, other certificates or another provider id', async () => {
    const node = await inService(aConfig());
    const { cluster } = aConfig();
    for (const [want, facts] of [
      [aConfig({ hostName: 'other' }), someFacts],
      [aConfig({ cluster: { ...cluster!, certificateAuthority: OTHER_PEM } }), someFacts],
      [aConfig(), { ...someFacts, instance: { ...someFacts.instance, providerId: 'azure:///other' } }],
    ] as const) {
      const made = await node.planFor(want, facts);
      expect(made.class).toBe(7);
      expect(made.steps).toEqual([]);
      expect(made.ownership).toEqual(node.ownership);
    }
  });

  it('treats certificates that keep an old one as a rotation', async () => {
    const node = await inService(aConfig());
    const { cluster } = aConfig();
    const made = await node.planFor(aConfig({ cluster: { ...cluster!, certificateAuthority: `${OTHER_PEM}${PEM}` } }));
    expect(made.class).toBe(2);
    expect(verbs(made.steps)).toEqual(['write-file', 'restart-unit kubelet.service']);
  });

  it('changes the API server address of kubelet', async () => {
    const node = await inService(aConfig());
    const { cluster } = aConfig();
    const made = await node.become(aConfig({ cluster: { ...cluster!, endpoint: 'https://10.0.0.9:6443' } }));
    expect(made.class).toBe(2);
    expect(verbs(made.steps)).toEqual(['set', 'restart-unit kubelet.service']);
    expect(node.machine.text('/var/lib/kubelet/kubeconfig')).toContain('server: https://10.0.0.9:6443');
  });

  it('removes the token once kubelet has a certificate and restores it when that expires', async () => {
    const node = await aNode(aConfig(), false);
    const path = '/var/lib/kubelet/bootstrap-kubeconfig';
    expect(node.machine.files.get(path)).toMatchObject({ mode: 0o600 });
    node.machine.join();
    await node.become(aConfig());
    expect(node.machine.files.has(path)).toBe(false);
    const wanted = desiredState(aConfig(), someFacts);
    const later = { nowMs: Date.UTC(2200, 0, 1), node: node.machine.node };
    const made = plan(await observeNode(node.machine, wanted, node.ownership, later), wanted, node.ownership);
    expect(made.steps).toMatchObject([{ do: 'write-file', path }]);
  });

  it('reports drift if something else changed, removed or replaced an owned file', async () => {
    const path = '/etc/crictl.yaml';
    for (const tamper of [
      (machine: Machine) => machine.put(path, 'other\n'),
      (machine: Machine) => machine.put(path, machine.text(path)!, 0o666),
      (machine: Machine) => machine.link(path, '/etc/shadow'),
      (machine: Machine) => machine.files.delete(path),
    ]) {
      const node = await inService(aConfig());
      tamper(node.machine);
      const made = await node.planFor(aConfig());
      expect(made.changes).toMatchObject([{ what: path, isDrift: true }]);
      node.machine.apply(made.steps);
      expect((await node.planFor(aConfig())).changes).toEqual([]);
    }
  });

  it('restores the identity in a file without needing another node', async () => {
    const node = await inService(aConfig());
    node.machine.put('/etc/kubernetes/pki/ca.crt', OTHER_PEM);
    node.machine.put('/etc/kubernetes/kubelet/config.d/20-headstart.conf', '{}');
    node.machine.put('/etc/default/kubelet', '');
    node.machine.put('/etc/hostname', 'somebody\n');
    const made = await node.planFor(aConfig());
    expect(made.changes.every((change) => change.isDrift)).toBe(true);
    expect(rank(made.class)).toBeLessThan(rank(7));
    node.machine.apply(made.steps);
    expect((await node.planFor(aConfig())).changes).toEqual([]);
  });

  it('reports drift if an owned file has another owner', async () => {
    const node = await inService(aConfig());
    const entry = node.machine.files.get('/etc/crictl.yaml')!;
    node.machine.files.set('/etc/crictl.yaml', { ...entry, uid: 1000 } as typeof entry);
    expect((await node.planFor(aConfig())).changes).toMatchObject([{ what: '/etc/crictl.yaml', isDrift: true }]);
  });

  it('corrects live values without reporting drift', async () => {
    const node = await inService(aConfig());
    node.machine.rules = undefined;
    const made = await node.planFor(aConfig());
    expect(made.changes).toMatchObject([{ what: 'firewall headstart_metadata', isDrift: false, class: 1 }]);
    expect(made.steps).toMatchObject([{ do: 'set', kind: 'firewall' }]);
  });
});

describe('a plan with a problem', () => {
  it.each<[string, (machine: Machine) => void, Partial<NodeConfig>, string, string]>([
    [
      'a folder at the path of a file',
      (machine) => machine.folders.add('/etc/app'),
      { files: { '/etc/app': { content: '', encoding: 'utf8', mode: 0o644, owner: 'root', group: 'root' } } },
      'plan/obstructed',
      'is a folder and cannot be replaced',
    ],
    [
      'an owner that does not exist',
      () => {},
      { files: { '/etc/app': { content: '', encoding: 'utf8', mode: 0o644, owner: 'nobody', group: 'root' } } },
      'config/invalid',
      'there is no user nobody on this node',
    ],
    [
      'a unit that does not exist',
      () => {},
      { units: { 'gone.service': { dropIns: {}, isMasked: false, isActive: true } } },
      'config/invalid',
      'does not exist on this image and has no content',
    ],
    [
      'an existing file at the path of the swap file',
      (machine) => machine.put('/var/lib/dpkg/status', 'precious'),
      { os: { ...aConfig().os, swap: { file: '/var/lib/dpkg/status', sizeBytes: 1 << 20, behavior: 'NoSwap' } } },
      'plan/obstructed',
      'exists already; headstart does not replace it with a swap file',
    ],
    [
      'a swap file outside the allowed folders',
      () => {},
      { os: { ...aConfig().os, swap: { file: '/etc/passwd', sizeBytes: 1 << 20, behavior: 'NoSwap' } } },
      'config/invalid',
      'is not below /mnt/, /srv/, /var/lib/',
    ],
    [
      'contradicting kubelet settings',
      () => {},
      { kubelet: { ...aConfig().kubelet, config: { imageGCLowThresholdPercent: 90 } } },
      'config/invalid',
      'must be below imageGCHighThresholdPercent',
    ],
  ])('reports %s, has no steps and keeps the ownership', async (_what, prepare, over, reason, message) => {
    const node = new Node();
    prepare(node.machine);
    const at = node.machine.at.bind(node.machine);
    node.machine.at = (path, isSecret) =>
      node.machine.folders.has(path) ? { kind: 'other', what: 'a folder' } : at(path, isSecret);
    const made = await node.planFor(aConfig(over));
    expect(made.problems).toMatchObject([{ reason, message }]);
    expect(made.steps).toEqual([]);
    expect(made.ownership).toBe(node.ownership);
  });

  it('hides a secret file that is replaced by one that is not secret', async () => {
    const file = { encoding: 'utf8', mode: 0o600, owner: 'root', group: 'root' } as const;
    const node = await inService(aConfig({ files: { '/etc/app.conf': { ...file, content: new Secret(CANARY) } } }));
    const made = await node.planFor(aConfig({ files: { '/etc/app.conf': { ...file, content: 'open\n' } } }));
    expect(made.changes).toMatchObject([{ what: '/etc/app.conf', diff: { kind: 'hidden', because: 'secret' } }]);
  });
});
