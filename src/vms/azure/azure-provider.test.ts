// The Azure provider with the real SDK against the simulator. The referee checks every exchange against the specification.
import { afterAll, expect, it } from 'vitest';
import { seatReferee } from '../../../sims/azure/referee/referee.ts';
import { gallerySuite } from '../gallery.suite.ts';
import type { Lab } from '../lab.testing.ts';
import { poolsSuite } from '../pools.suite.ts';
import { publisherSuite } from '../publisher.suite.ts';
import { snapshotsSuite } from '../snapshots.suite.ts';
import { azureLab } from './testing.ts';

const referee = await seatReferee();
const violations: string[] = [];

async function refereedLab(mode: 'Uniform' | 'Flexible'): Promise<Lab> {
  const lab = await azureLab({ mode, sim: { referee } });
  return {
    ...lab,
    end: async () => {
      violations.push(...lab.sim.violations);
      await lab.end();
    },
  };
}

for (const mode of ['Uniform', 'Flexible'] as const)
  for (const suite of [poolsSuite, snapshotsSuite, gallerySuite, publisherSuite])
    suite(`Azure (${mode})`, () => refereedLab(mode));

it('never polls earlier than Retry-After allows', () => {
  expect(violations).toEqual([]);
});

it('sends no request and gets no response that violates the specification', async () => {
  const { checked, rejected } = await referee.report();
  expect(rejected).toEqual([]);
  if (referee.sat) expect(checked).toBeGreaterThan(1000);
});

afterAll(async () => {
  process.stderr.write(`azure provider: ${(await referee.report()).checked} exchanges checked by the referee\n`);
});
