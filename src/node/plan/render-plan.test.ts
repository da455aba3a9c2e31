import { describe, expect, it } from 'vitest';
import { NOTHING_OWNED, type Plan, type PlannedChange } from '../desired/tree.ts';
import type { Verdict } from './policy.ts';
import { planToJson, renderNodePlan } from './render-plan.ts';

const verdict: Verdict = { decision: 'blocked', code: 'plan/blocked-by-class', reason: 'class 4 (drain): maxPods' };

const change: PlannedChange = {
  aspect: 'kubelet',
  what: '/etc/kubernetes/kubelet/config.d/20-headstart.conf',
  op: 'update',
  class: 4,
  why: 'more pods may be running than the new limit allows',
  isDrift: false,
  leaves: [
    { path: 'maxPods', from: '110', to: '50', class: 4, why: 'more pods may be running than the new limit allows' },
  ],
  diff: {
    kind: 'text',
    lines: [
      { sign: 'gap', text: '' },
      { sign: ' ', text: '  "kind": "KubeletConfiguration",' },
      { sign: '-', text: '  "maxPods": 110' },
      { sign: '+', text: '  "maxPods": 50' },
    ],
  },
};

const plan: Plan = {
  changes: [
    change,
    {
      ...change,
      what: 'sysctl vm.max_map_count',
      class: 1,
      why: 'the kernel applies it at once',
      leaves: [],
      diff: { kind: 'value', from: '65530', to: '262144' },
    },
    {
      ...change,
      what: '/etc/secret',
      op: 'create',
      class: 0,
      why: 'x',
      leaves: [],
      diff: { kind: 'hidden', because: 'secret' },
    },
  ],
  steps: [
    { do: 'drain' },
    { do: 'make-folder', path: '/etc/a' },
    { do: 'write-file', path: '/etc/a/b', content: 'inside', encoding: 'utf8', mode: 0o644, uid: 0, gid: 0 },
    { do: 'remove-file', path: '/etc/c' },
    { do: 'set', kind: 'sysctl', key: 'vm.max_map_count', value: '262144' },
    { do: 'set', kind: 'host-name', key: '', value: 'x' },
    { do: 'clear', kind: 'swap', key: '/swap' },
    { do: 'remove-state', path: '/var/lib/kubelet/cpu_manager_state' },
    { do: 'restart-unit', unit: 'kubelet.service' },
    { do: 'uncordon' },
  ],
  class: 4,
  problems: [],
  ownership: NOTHING_OWNED,
  ownershipMeanwhile: NOTHING_OWNED,
  kubeletConfig: {},
};

describe('renderNodePlan', () => {
  it('prints the changes with their classes, the steps and the verdict', () => {
    expect(renderNodePlan(plan, verdict)).toBe(`\
~ /etc/kubernetes/kubelet/config.d/20-headstart.conf  [class 4: more pods may be running than the new limit allows]
    maxPods: 110 → 50  [class 4: more pods may be running than the new limit allows]
    …
        "kind": "KubeletConfiguration",
    -   "maxPods": 110
    +   "maxPods": 50
~ sysctl vm.max_map_count: 65530 → 262144  [class 1: the kernel applies it at once]
+ /etc/secret  [class 0: x]
    (secret, not shown)

then: drain, write 1 file, remove 1 file, set sysctl vm.max_map_count, set host-name, remove swap /swap, remove /var/lib/kubelet/cpu_manager_state, restart kubelet.service, uncordon

class 4: the node is drained first
blocked: class 4 (drain): maxPods (plan/blocked-by-class)
`);
  });

  it('prints two lines if there is nothing to do', () => {
    const nothing = { ...plan, changes: [], steps: [], class: 0 } as const;
    const text = renderNodePlan(nothing, { decision: 'nothing', code: 'ok/nothing-to-do', reason: 'all is well' });
    expect(text).toBe('class 0: nothing is disrupted\nnothing to do: all is well (ok/nothing-to-do)\n');
  });

  it('replaces control characters', () => {
    const hostile: PlannedChange = {
      ...change,
      what: '/etc/\u001b[2J',
      diff: { kind: 'value', from: 'a\rb', to: '\u202e' },
    };
    const text = renderNodePlan({ ...plan, changes: [hostile] }, verdict);
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202e]/);
  });
});

describe('planToJson', () => {
  it('has everything except the content of files', () => {
    const text = JSON.stringify(planToJson(plan, verdict));
    expect(text).not.toContain('inside');
    expect(JSON.parse(text)).toMatchObject({ class: 4, verdict, changes: [{ class: 4 }, { class: 1 }, { class: 0 }] });
    expect(JSON.parse(text).steps).toHaveLength(plan.steps.length);
  });
});
