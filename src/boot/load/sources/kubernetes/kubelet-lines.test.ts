import { describe, expect, test } from 'vitest';
import { kubeletFacts, parseKubeletLine, type TimedKubeletEvent } from './kubelet-lines.ts';

const HEADER = 'I1115 21:09:58.200000    1234 kubelet_node_status.go:73] ';

describe('parseKubeletLine', () => {
  test.each([
    [`${HEADER}"Successfully registered node" node="n1"`, { step: 'registered', node: 'n1' }],
    [`${HEADER}Successfully registered node n1`, { step: 'registered', node: 'n1' }],
    [`${HEADER}"Attempting to register node" node="n1"`, { step: 'register-attempt', node: 'n1' }],
    [`${HEADER}"Recording event message for node" node="n1" event="NodeReady"`, { step: 'ready', node: 'n1' }],
    [`${HEADER}Recording NodeReady event message for node n1`, { step: 'ready' }],
    [`${HEADER}"Kubelet version" kubeletVersion="v1.31.2"`, { step: 'started', version: 'v1.31.2' }],
    [`${HEADER}Version: v1.12.0`, { step: 'started', version: 'v1.12.0' }],
    [`${HEADER}"Starting kubelet main sync loop"`, { step: 'sync-loop' }],
    [
      `${HEADER}"Certificate signing request is issued" logger="kubernetes.io/kube-apiserver-client-kubelet" csr="c"`,
      { step: 'certificate-issued' },
    ],
    [`${HEADER}"Skipping pod synchronization" err="network is not ready: cni"`, { step: 'network-not-ready' }],
    [
      '{"ts":1794776998200.1,"caller":"x.go:1","msg":"Successfully registered node","node":"n1"}',
      { step: 'registered', node: 'n1' },
    ],
    ['Successfully registered node n1', { step: 'registered', node: 'n1' }],
  ])('parses %s', (line, expected) => {
    expect(parseKubeletLine(line)).toEqual(expected);
  });

  test.each([
    `${HEADER}"Recording event message for node" node="n1" event="NodeHasSufficientMemory"`,
    `${HEADER}"Certificate signing request is issued" logger="kubernetes.io/kubelet-serving" csr="c"`,
    `${HEADER}"SyncLoop ADD" source="api" pods=["x/y"]`,
    'not a kubelet line',
    '{"ts":',
  ])('ignores %s', (line) => {
    expect(parseKubeletLine(line)).toBeUndefined();
  });
});

describe('kubeletFacts', () => {
  const events: TimedKubeletEvent[] = [
    { atUs: 10e6, step: 'started', version: 'v1.31.2' },
    { atUs: 11e6, step: 'bootstrap-began' },
    { atUs: 14e6, step: 'certificate-issued' },
    { atUs: 15e6, step: 'register-attempt', node: 'n1' },
    { atUs: 16e6, step: 'register-attempt', node: 'n1' },
    { atUs: 17e6, step: 'registered', node: 'n1' },
    { atUs: 18e6, step: 'network-not-ready' },
    { atUs: 23e6, step: 'network-not-ready' },
    { atUs: 30e6, step: 'ready' },
    { atUs: 500e6, step: 'network-not-ready' },
  ];

  test('gives spans from kubelet start to Ready, with waits separated from work', () => {
    const facts = kubeletFacts(events.toReversed());
    expect(
      facts.spans.map(({ id, startUs, endUs, wait }) => [id, startUs / 1e6, endUs / 1e6, wait !== undefined]),
    ).toEqual([
      ['kubelet:start', 10, 15, false],
      ['kubelet:tls-bootstrap', 11, 14, true],
      ['kubelet:register', 15, 17, false],
      ['kubelet:become-ready', 17, 30, false],
      ['kubelet:network', 18, 23, true],
    ]);
    expect(facts.spans[2]?.detail).toBe('2 attempts');
    expect(facts.host).toEqual({ nodeName: 'n1', kubeletVersion: 'v1.31.2' });
    expect(facts.notes).toEqual([]);
  });

  test('edge case 44: uses the first Ready, and counts the others', () => {
    const facts = kubeletFacts([...events, { atUs: 90e6, step: 'ready' }, { atUs: 95e6, step: 'ready' }]);
    expect(facts.milestones.at(-1)).toMatchObject({ name: 'node-ready', atUs: 30e6 });
    expect(facts.notes[0]?.text).toContain('became Ready 3 times');
  });

  test('gives nothing without events', () => {
    expect(kubeletFacts([])).toEqual({ spans: [], milestones: [], notes: [], host: {} });
  });
});
