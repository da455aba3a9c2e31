import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRecord, bootRecord, span } from '../testing.ts';
import { csv } from './csv.ts';
import { boot } from './testing.ts';

describe('CSV', () => {
  it('quotes cells where required, disarms formulas, and prints wall time with microseconds', () => {
    const lines = csv(boot()).split('\r\n');
    expect(lines[0]).toBe(
      'id,name,source,parent,unit,start_us,end_us,took_us,start_utc,wait,result,detail,kind,critical,path_us',
    );
    expect(lines).toContain(
      "systemd:-.slice,'-.slice,systemd,,'-.slice,2500000,2500000,0,2023-11-14T22:13:22.500001Z,,,,span,yes,0",
    );
    expect(csv(boot())).toContain(`,fail,"'=HYPERLINK(""x"")",span,`);
    expect(csv(boot())).toContain(',"two\nlines, ""quoted""",span,,\r\n');
  });

  it('marks the critical path, with the time of each row on it', () => {
    const rows = parseCsv(csv(boot())).slice(1);
    const onPath = rows.filter((row) => row[13] === 'yes').map((row) => [row[0], Number(row[14])]);
    expect(onPath).toEqual([
      ['phase:firmware', 2e6],
      ['phase:loader', 1e6],
      ['phase:kernel', 2e6],
      ['systemd:-.slice', 0],
      ['systemd:net.service', 2e6],
      ['systemd:app.service', 3e6],
      ['systemd:multi-user.target', 0],
      ['milestone:startup-finished', 0],
    ]);
  });

  it('has phases and milestones as rows, in order of time, for any boot', () => {
    expect(csv(boot())).toContain('\r\nmilestone:vm-created,vm-created,platform,,,-20000000,-20000000,0,');
    fc.assert(
      fc.property(anyRecord, (record) => {
        const starts = parseCsv(csv(record))
          .slice(1)
          .map((row) => Number(row[5]));
        expect(starts).toEqual(starts.toSorted((a, b) => a - b));
      }),
    );
  });

  it('leaves the wall time empty if it is unknown or a Date cannot represent it', () => {
    const startOf = (wallAtZeroUs?: number) => {
      const clock = { zero: 'kernel' as const, ...(wallAtZeroUs !== undefined && { wallAtZeroUs }) };
      return csv(bootRecord({ clock, spans: [span('kubelet:a', 1, 2)] }))
        .split('\r\n')
        .find((line) => line.startsWith('kubelet:a'))!
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
          expect(new Set(rows.map((row) => row.length))).toEqual(new Set([15]));
          for (const [i, detail] of texts.entries())
            expect(rows.find(([id]) => id === `kubelet:${i}`)![11]!.replace(/^'/, '')).toBe(detail);
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
