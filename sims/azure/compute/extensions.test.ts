import { describe, expect, it } from 'vitest';
import { objectsAt } from '../service/json.ts';
import { codeOf, withExtensions } from '../testing.ts';

describe('the extensions of a set', () => {
  it('are not deleted while another waits for them', () => {
    const bench = withExtensions();
    const answer = bench.ask('DELETE', 'virtualMachineScaleSets/pool1/extensions/cse');
    expect(codeOf(answer)).toEqual([400, 'BadRequest']);
    bench.askAndWait('DELETE', 'virtualMachineScaleSets/pool1/extensions/health');
    expect(bench.askAndWait('DELETE', 'virtualMachineScaleSets/pool1/extensions/cse').body?.status).toBe('Succeeded');
    expect(bench.ask('GET', 'virtualMachineScaleSets/pool1/extensions').body?.value).toHaveLength(1);
    expect(bench.set().secrets.protectedSettings).toEqual({ billing: { a: 'b' } });
  });

  it('survive a deletion with a fault that reports success without effect', () => {
    const bench = withExtensions();
    const strike = { fate: 'succeeded-but-not-applied' as const };
    expect(
      bench.askAndWait('DELETE', 'virtualMachineScaleSets/pool1/extensions/billing', { strike }).body?.status,
    ).toBe('Succeeded');
    expect(bench.ask('GET', 'virtualMachineScaleSets/pool1/extensions').body?.value).toHaveLength(3);
  });
});

describe('the extensions of one instance', () => {
  const INSTANCE = 'virtualMachineScaleSets/pool1/virtualMachines/0';

  it('are those of the model that it was made from, without secrets', () => {
    const bench = withExtensions();
    bench.askAndWait('DELETE', 'virtualMachineScaleSets/pool1/extensions/billing');
    const { body } = bench.ask('GET', `${INSTANCE}/extensions`);
    expect(objectsAt(body, 'value').map(({ name }) => name)).toEqual(['cse', 'health', 'billing']);
    expect(JSON.stringify(body)).not.toContain('s3cret');
    expect(bench.ask('GET', `${INSTANCE}/extensions/CSE`).body).toMatchObject({
      name: 'cse',
      id: expect.stringContaining('/virtualMachines/0/extensions/cse'),
      properties: { publisher: 'Microsoft.Azure.Extensions', provisioningState: 'Succeeded' },
    });
    expect(codeOf(bench.ask('GET', `${INSTANCE}/extensions/none`))).toEqual([404, 'NotFound']);
  });
});
