import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blame } from '../questions/blame.ts';
import { chain } from '../questions/chain.ts';
import { anyRecord, bootRecord, span, unit } from '../testing.ts';
import { recordJson, trimRecord } from './trim-record.ts';

describe('trimRecord', () => {
  it('keeps the units that ran, and only the edges between them', () => {
    const { units, notes } = trimRecord(
      bootRecord({
        units: [
          unit('a.service', 1, 1, [], { aliases: ['alias.service'], before: ['b.service'], conflicts: ['c.service'] }),
          unit('b.service', 3, 1, ['alias.service', 'never.service'], {
            requires: ['never.service'],
            wants: ['a.service', 'never.service'],
          }),
          unit('never.service', 0, 0),
          unit('running.service', 0, 5),
        ],
        notes: [{ level: 'info', text: 'a note' }],
      }),
    );
    expect(units.map(({ name }) => name)).toEqual(['a.service', 'b.service', 'running.service']);
    expect(units[0]).not.toHaveProperty('before');
    expect(units[0]).not.toHaveProperty('conflicts');
    expect(units[1]).toMatchObject({ after: ['alias.service'], wants: ['a.service'] });
    expect(units[1]).not.toHaveProperty('requires');
    expect(notes).toEqual([]);
  });

  it('keeps a unit that never started if others waited for its failed job', () => {
    const record = bootRecord({
      units: [unit('a.mount', 0, 0), unit('b.mount', 0, 0), unit('local-fs.target', 92, 0, ['a.mount', 'b.mount'])],
      spans: [span('job:a.mount', 2, 92, { source: 'systemd', unit: 'a.mount', result: 'fail' })],
    });
    expect(trimRecord(record).units.map(({ name }) => name)).toEqual(['a.mount', 'local-fs.target']);
    expect(chain(trimRecord(record), 'local-fs.target')).toEqual(chain(record, 'local-fs.target'));
  });

  it('keeps blame and chain unchanged for any boot', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const trimmed = trimRecord(record);
        expect(blame(trimmed)).toEqual(blame(record));
        expect(chain(trimmed)).toEqual(chain(record));
      }),
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        expect(trimRecord(trimRecord(record))).toEqual(trimRecord(record));
      }),
    );
  });

  it('recordJson contains no secret that a log quoted', () => {
    const json = recordJson(bootRecord({ spans: [span('cloud-init:a', 1, 2, { detail: 'token=hunter22' })] }));
    expect(json).not.toContain('hunter22');
    expect(JSON.parse(json)).toMatchObject({ kind: 'BootRecord', spans: [{ detail: 'token=[redacted]' }] });
  });
});
