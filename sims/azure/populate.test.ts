import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { populate } from './populate.ts';
import { parseScenario } from './scenario.ts';
import { instancesOf } from './world.ts';

const folder = fileURLToPath(new URL('./scenarios/', import.meta.url));

describe('the world of a scenario', () => {
  it.each(readdirSync(folder))('has everything that %s names, and every instance runs', (name) => {
    const scenario = parseScenario(readFileSync(`${folder}${name}`, 'utf8'), name);
    const world = populate(scenario, 0);
    for (const set of Object.values(world.scaleSets)) {
      const wanted = scenario.scaleSets.find((one) => one.name === set.name)!;
      expect(instancesOf(world, set)).toHaveLength(wanted.instances);
    }
    expect(Object.values(world.instances).every(({ power }) => power === 'running')).toBe(true);
  });

  it('depends on the seed alone', () => {
    const text = readFileSync(`${folder}flexible.yaml`, 'utf8');
    const world = (seed: number) => populate({ ...parseScenario(text, 'x'), seed }, 0);
    expect(world(1)).toEqual(world(1));
    expect(Object.keys(world(1).instances)).not.toEqual(Object.keys(world(2).instances));
  });
});
