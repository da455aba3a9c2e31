import { describe, expect, it } from 'vitest';
import { caught } from '../testing.ts';
import { named } from './edit-names.ts';
import { pointGraph } from './point-graph.ts';
import { aksBoot, nodeBoot } from './testing.ts';

const graph = pointGraph(nodeBoot);
const known = new Set(nodeBoot.units.map(({ name }) => name));
const spansOf = (name: string) => named(graph, name, known, 'without').spans.map(({ id }) => id);
const unitsOf = (name: string) => named(graph, name, known, 'without').units.map((u) => graph.names[u]);

describe('named', () => {
  it.each([
    'config-runcmd',
    'runcmd',
    'cc_runcmd',
    'modules-final/config-runcmd',
    'cloud-init:modules-final/config-runcmd',
  ])('finds a module as %s', (name) => expect(spansOf(name)).toEqual(['cloud-init:modules-final/config-runcmd']));

  it('finds a stage, and a unit with or without its suffix', () => {
    expect(spansOf('modules-final')).toEqual(['cloud-init:modules-final']);
    expect(unitsOf('kubelet')).toEqual(['kubelet.service']);
    expect(unitsOf('kubelet.service')).toEqual(['kubelet.service']);
  });

  it('finds all of cloud-init, and all extensions but not their waits', () => {
    expect(unitsOf('cloud-init')).toEqual(['cloud-final.service']);
    const { spans } = named(pointGraph(aksBoot), 'extensions', known, 'without');
    expect(spans.map(({ name }) => name)).toEqual([
      'AKS.CSE.cse_start',
      'AKS.CSE.installDeps',
      'AKS.CSE.ensureKubelet',
    ]);
  });

  it('refuses a name or a group that the recording does not have', () => {
    expect(caught(() => spansOf('image-pulls')).message).toBe('the recording has no image pull');
    expect(caught(() => spansOf('config-runcdm')).message).toContain('did you mean config-runcmd');
    expect(caught(() => spansOf('config-runcdm')).code).toBe('boot/no-such-unit');
  });
});
