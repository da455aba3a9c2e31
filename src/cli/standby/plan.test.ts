import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { run } from '../testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-plan-'));
afterAll(() => rmSync(folder, { recursive: true }));

const example = (name: string) => fileURLToPath(new URL(`../../../examples/standby/${name}`, import.meta.url));
const times = 'paused=1s,frozen=2s,stopped=15s,cold=25s';
const plan = (...argv: string[]) => run(['standby', 'plan', 'pool1', '--home', join(folder, 'home'), ...argv]);
const planExample = (...argv: string[]) => plan('--arrivals', example('arrivals.csv'), '--ready', times, ...argv);

describe('standby plan', () => {
  it('ends with the command that carries out the choice', async () => {
    const { code, stdout } = await planExample('--prices', example('prices.yaml'));
    expect(code).toBe(0);
    expect(stdout).toContain('cheapest: 2 frozen, 0.0006 EUR/h, 0.438 EUR/month; 100% in time, longest wait 2s');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('next: headstart standby up pool1 --frozen 2');
  });

  it('counts memory, disk or nodes without prices, and prints no price', async () => {
    const { stdout } = await planExample();
    expect(stdout).toContain('cheapest: 2 frozen, 2 nodes;');
    expect(stdout).not.toMatch(/EUR|0 nodes, |month/);
    expect(stdout).toContain('nodes are counted');
  });

  it('leaves out a tier that was not measured, with the command to measure it', async () => {
    const { stdout } = await plan('--arrivals', example('arrivals.csv'), '--ready', 'frozen=2s,cold=25s');
    expect(stdout).toContain(
      'paused was never measured and is left out; to measure it: headstart standby up pool1 --paused 1 && headstart standby claim pool1',
    );
    expect(stdout).not.toMatch(/^paused /m);
  });

  it('says nothing about an objective that so few arrivals cannot prove', async () => {
    const { code, stdout } = await planExample('--objective', '99% within 10s');
    expect(code).toBe(0);
    expect(stdout).toContain('too few arrivals to say: 100, and 99% within 10s takes at least 299');
    expect(stdout).not.toContain('next:');
  });

  it.each([
    ['95% within 30s', 'keep no standby nodes: new nodes of pool1 meet the objective'],
    ['95% within 500ms', 'no mix within the bounds meets the objective (1331 of 1331 mixes were looked at)'],
  ])('for %s says "%s"', async (objective, answer) => {
    const { stdout } = await planExample('--objective', objective);
    expect(stdout).toContain(answer);
    expect(stdout).not.toContain('next:');
  });

  it('keeps none if no node was asked for', async () => {
    const empty = join(folder, 'empty');
    writeFileSync(empty, '');
    const { stdout } = await plan('--arrivals', empty, '--ready', times);
    expect(stdout).toContain('no node was asked for');
    expect(stdout).toContain('keep no standby nodes\n');
  });

  it('fails without a time to Ready of a new node, and for an unknown pool', async () => {
    expect((await plan('--ready', 'frozen=2s')).stderr).toContain('there is no pool "pool1"');
    const { code, stderr } = await plan('--arrivals', example('arrivals.csv'), '--ready', 'frozen=2s');
    expect(code).toBe(1);
    expect(stderr).toContain('there is no pool "pool1"');
  });

  it('takes the time to Ready of recorded boots, and says how many have none', async () => {
    const boots = fileURLToPath(new URL('../../boot/fixtures/boots/', import.meta.url));
    const { stdout } = await plan('--arrivals', example('arrivals.csv'), '--ready', 'frozen=2s', '--boots', boots);
    expect(stdout).toMatch(/^cold +1 +2min 14.860s/m);
    expect(stdout).toMatch(/\d of \d recorded boots do not say when the node was Ready\./);
  });

  it('fails if no time to Ready of a new node is known', async () => {
    const boot = fileURLToPath(new URL('../../boot/fixtures/boots/first-boot.tar.gz', import.meta.url));
    const { code, stderr } = await plan('--arrivals', example('arrivals.csv'), '--ready', 'frozen=2s', '--boots', boot);
    expect(code).toBe(2);
    expect(stderr).toContain('code:  standby/no-cold-boot');
  });
});
