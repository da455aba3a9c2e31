import { describe, expect, it } from 'vitest';
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
