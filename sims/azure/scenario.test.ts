import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/errors.ts';
import { populate } from './populate.ts';
import { parseScenario } from './scenario.ts';
import { instancesOf } from './world.ts';

const folder = fileURLToPath(new URL('./scenarios/', import.meta.url));

describe('scenarios', () => {
  it.each(readdirSync(folder))('%s describes a world in which everything runs', (name) => {
    const scenario = parseScenario(readFileSync(`${folder}${name}`, 'utf8'), name);
    const world = populate(scenario, 0);
    for (const set of Object.values(world.scaleSets)) {
      const wanted = scenario.scaleSets.find((one) => one.name === set.name)!;
      expect(instancesOf(world, set)).toHaveLength(wanted.instances);
    }
    expect(Object.values(world.instances).every(({ power }) => power === 'running')).toBe(true);
  });

  it('are the same world for the same seed, and another for another', () => {
    const text = readFileSync(`${folder}flexible.yaml`, 'utf8');
    const world = (seed: number) => populate({ ...parseScenario(text, 'x'), seed }, 0);
    expect(world(1)).toEqual(world(1));
    expect(Object.keys(world(1).instances)).not.toEqual(Object.keys(world(2).instances));
  });

  it('tell every problem at once, each with its path', () => {
    const bad =
      'cluster: ""\nresourceGroup: "a b"\nscaleSets:\n  - { name: p, instances: x }\n  - { name: p, extensions: [{ name: e, publisher: p, type: t, after: [gone] }] }\n';
    const message = messageOf(() => parseScenario(bad, 'bad.yaml'));
    for (const path of ['cluster', 'resourceGroup', 'scaleSets.0.instances']) expect(message).toContain(path);
  });

  it.each(['../evil', 'a/b', '..', ''])('refuse the name %j, which becomes a folder', (name) => {
    const bad = `cluster: c\nresourceGroup: g\nscaleSets:\n  - { name: ${JSON.stringify(name)} }\n`;
    expect(messageOf(() => parseScenario(bad, 'bad.yaml'))).toContain('scaleSets.0.name');
  });

  it('tell what does not fit together once every part is well formed', () => {
    const bad =
      'cluster: c\nresourceGroup: g\nscaleSets:\n  - { name: p }\n  - { name: P, extensions: [{ name: e, publisher: p, type: t, after: [gone] }] }\n';
    const message = messageOf(() => parseScenario(bad, 'bad.yaml'));
    expect(message).toContain("'P' is there twice");
    expect(message).toContain("there is no extension 'gone'");
  });

  it('that are no YAML are refused as such', () => {
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
