import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { span } from '../../../testing.ts';
import { Initcalls } from './initcalls.ts';

const read = (...lines: (readonly [atS: number, message: string])[]) => {
  const calls = new Initcalls();
  const taken = lines.map(([atS, message]) => calls.add(atS * 1e6, message));
  return { spans: calls.spans(undefined), taken, calls };
};

describe('Initcalls', () => {
  test.each([
    ['initcall acpi_init+0x0/0x3b0 returned 0 after 250000 usecs', 'initcall acpi_init'],
    ['initcall init_module+0x0/0x1000 [virtio_blk] returned 0 after 250000 usecs', 'initcall virtio_blk'],
    ['initcall pci_init+0x0/0x10 returned -19 after 250000 usecs', 'initcall pci_init'],
    ['probe of 0000:00:1f.2 returned 1 after 250000 usecs', 'probe of 0000:00:1f.2'],
  ])('%s: the call ended when the line was logged', (line, name) => {
    const { spans } = read([1.5, line]);
    expect(spans).toMatchObject([{ name, source: 'kernel', startUs: 1.25e6, endUs: 1.5e6 }]);
  });

  test('ignores short calls and other lines', () => {
    const { spans, taken } = read(
      [1, 'initcall a+0x0/0x10 returned 0 after 999 usecs'],
      [1, 'calling  acpi_init+0x0/0x3b0 @ 1'],
      [1, 'initcall acpi_init'],
    );
    expect(spans).toEqual([]);
    expect(taken).toEqual([true, false, false]);
  });

  test('puts calls before init inside the kernel, and those of later modules outside', () => {
    const { calls } = read(
      [1, 'initcall a+0x0/0x10 returned 0 after 200000 usecs'],
      [9, 'initcall init_module+0x0/0x10 [late] returned 0 after 200000 usecs'],
    );
    const parents = calls.spans(span('kernel:until-init', 0, 2)).map(({ name, parent }) => [name, parent]);
    expect(parents).toEqual([
      ['initcall a', 'kernel:until-init'],
      ['initcall late', undefined],
    ]);
  });

  test('keeps the 50 longest of any number of calls', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1_000, max: 1e6 }), { maxLength: 600 }), (times) => {
        const { spans } = read(...times.map((us, i) => [i, `initcall f${i} returned 0 after ${us} usecs`] as const));
        const kept = spans.map(({ startUs, endUs }) => endUs - startUs).sort((a, b) => b - a);
        expect(kept).toEqual([...times].sort((a, b) => b - a).slice(0, 50));
      }),
      { numRuns: 30 },
    );
  });
});
