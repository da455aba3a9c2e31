import { describe, expect, it } from 'vitest';
import { completeNode, nodeConfiguration } from './node.ts';
import { type Case, found } from './subjects.testing.ts';

const RULES_HERE = [completeNode, nodeConfiguration];
const DAEMON = '/usr/lib/headstart/headstart';
const WHOLE: Case = {
  versions: { kubelet: '1.35.8', containerd: '2.2.1' },
  image: 'registry.k8s.io/pause:3.10.1',
  places: [DAEMON],
};

describe('the rules about a complete node', () => {
  it.each<[string, Case, string[]]>([
    ['node/complete', WHOLE, []],
    ['node/complete', { ...WHOLE, places: [] }, ['warning']],
    ['node/complete', { ...WHOLE, image: 'registry.k8s.io/not-pause:1' }, ['warning']],
    ['node/complete', {}, ['warning', 'warning', 'warning', 'warning']],
    ['node/kubernetes-minor', WHOLE, []],
    ['node/kubernetes-minor', { kubernetes: '1.29.4', places: [DAEMON] }, ['error']],
    ['node/kubernetes-minor', { kubernetes: '1.29.4' }, []],
  ])('%s: %j gives %j', (id, one, expected) => {
    const rule = RULES_HERE.find((each) => each.id === id)!;
    expect(found(rule, one)).toEqual(expected);
  });
});
