import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/errors.ts';
import { parseScenario } from './scenario.ts';

describe('scenarios', () => {
  it('report every problem at once, each with its path', () => {
    const bad =
      'cluster: ""\nresourceGroup: "a b"\nscaleSets:\n  - { name: p, instances: x }\n  - { name: p, extensions: [{ name: e, publisher: p, type: t, after: [gone] }] }\n';
    const message = messageOf(() => parseScenario(bad, 'bad.yaml'));
    for (const path of ['cluster', 'resourceGroup', 'scaleSets.0.instances']) expect(message).toContain(path);
  });

  it.each(['../evil', 'a/b', '..', ''])('refuse the name %j, which becomes a folder', (name) => {
    const bad = `cluster: c\nresourceGroup: g\nscaleSets:\n  - { name: ${JSON.stringify(name)} }\n`;
    expect(messageOf(() => parseScenario(bad, 'bad.yaml'))).toContain('scaleSets.0.name');
  });

  it('report inconsistent parts once every part is well formed', () => {
    const bad =
      'cluster: c\nresourceGroup: g\nscaleSets:\n  - { name: p }\n  - { name: P, extensions: [{ name: e, publisher: p, type: t, after: [gone] }] }\n';
    const message = messageOf(() => parseScenario(bad, 'bad.yaml'));
    expect(message).toContain("'P' is there twice");
    expect(message).toContain("there is no extension 'gone'");
  });

  it('that are not YAML are refused', () => {
    expect(messageOf(() => parseScenario('a: [', 'bad.yaml'))).toContain('bad.yaml is not a scenario');
  });
});

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  return 'nothing was wrong';
}
