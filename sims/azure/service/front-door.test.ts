import { describe, expect, it } from 'vitest';
import { Bench, codeOf, withVersion } from '../testing.ts';

const PATHS = [
  'virtualMachineScaleSets/pool1',
  'disks/free',
  'snapshots/snap',
  'galleries/SIG_demo',
  'galleries/SIG_demo/images/proto',
  'galleries/SIG_demo/images/proto/versions/2026.11.15',
];

function furnished(): Bench {
  const bench = new Bench();
  withVersion(bench);
  const properties = { creationData: { createOption: 'Empty' }, diskSizeGB: 10 };
  bench.askAndWait('PUT', 'disks/free', { body: { location: 'westeurope', properties } });
  return bench;
}

describe('the front door', () => {
  it.each(PATHS)('keeps %s in its region', (path) => {
    const bench = furnished();
    const { body } = bench.ask('GET', path);
    const put = (location: string) => bench.ask('PUT', path, { body: { ...body!, location } });
    expect(codeOf(put('eastus'))).toEqual([409, 'InvalidResourceLocation']);
    expect(bench.ask('GET', path).body?.location).toBe('westeurope');
    expect(put('West Europe').status).toBeLessThan(300);
    expect(bench.ask('GET', path).body?.location).toBe('westeurope');
  });

  it.each(PATHS)('refuses a PUT of %s without a region', (path) => {
    const bench = furnished();
    expect(codeOf(bench.ask('PUT', path, { body: {} }))).toEqual([400, 'LocationRequired']);
    expect(codeOf(bench.ask('PUT', path, { body: { location: '' } }))).toEqual([400, 'LocationRequired']);
  });

  it('lets a change of tags and an order without a body pass', () => {
    const bench = furnished();
    expect(bench.ask('PATCH', 'snapshots/snap', { body: { tags: { a: 'b' } } }).status).toBe(202);
    expect(bench.ask('POST', 'virtualMachineScaleSets/pool1/virtualMachines/0/start').status).toBe(202);
  });
});
