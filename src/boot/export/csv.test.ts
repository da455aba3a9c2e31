import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootRecord, span } from '../testing.ts';
import { csv } from './csv.ts';
import { boot } from './testing.ts';

describe('CSV', () => {
  it('quotes cells where required, disarms formulas, and prints wall time with microseconds', () => {
    const lines = csv(boot()).split('\r\n');
    expect(lines[0]).toBe('id,name,source,parent,unit,start_us,end_us,took_us,start_utc,wait,result,detail');
    expect(lines[1]).toBe(
      "systemd:-.slice,'-.slice,systemd,,'-.slice,2500000,2500000,0,2023-11-14T22:13:22.500001Z,,,",
    );
    expect(csv(boot())).toContain(`,fail,"'=HYPERLINK(""x"")"\r\n`);
    expect(csv(boot())).toContain(',"two\nlines, ""quoted"""\r\n');
  });

  it('leaves the wall time empty if it is unknown or a Date cannot represent it', () => {
    const startOf = (wallAtZeroUs?: number) => {
      const clock = { zero: 'kernel' as const, ...(wallAtZeroUs !== undefined && { wallAtZeroUs }) };
      return csv(bootRecord({ clock, spans: [span('kubelet:a', 1, 2)] }))
        .split('\r\n')[1]!
        .split(',')[8];
    };
    expect([startOf(), startOf(9e21), startOf(-1)]).toEqual(['', '', '1970-01-01T00:00:00.999999Z']);
  });

  it('has the same number of cells in every row, for any text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', '=', 'a', '-') }), { maxLength: 6 }),
        (texts) => {
          const spans = texts.map((detail, i) => span(`kubelet:${i}`, 1, 2, { detail, name: detail }));
          const rows = parseCsv(csv(bootRecord({ spans })));
          expect(rows.map((row) => row.length)).toEqual(Array(texts.length + 1).fill(12));
          for (const [i, detail] of texts.entries()) expect(rows[i + 1]![11]!.replace(/^'/, '')).toBe(detail);
        },
      ),
    );
  });
});

/** A parser of RFC 4180, to check the writer. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  const row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (end !== ',') rows.push(row.splice(0));
  }
  return rows;
}
