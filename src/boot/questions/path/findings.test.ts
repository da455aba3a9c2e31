import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BootRecord } from '../../model/record.ts';
import { anyRecord, bootRecord, managerTimes, span, unit } from '../../testing.ts';
import { parseEdit } from '../edits.ts';
import { nodeBoot, parkedBoot } from '../testing.ts';
import { whatIf } from '../what-if.ts';
import { answerSentence, findings, quoted, roundSpan } from './findings.ts';
import { pathSegments } from './path-segments.ts';

const found = (record: BootRecord) => findings(record, pathSegments(record));

const boot = bootRecord({
  manager: managerTimes({ userspaceUs: 2e6, finishUs: 60e6 }),
  units: [
    unit('basic.target', 2.6, 0),
    unit('slow.service', 3, 7, ['basic.target']),
    unit('cloud-final.service', 10, 30, ['slow.service']),
    unit('multi-user.target', 60, 0, ['cloud-final.service'], { aliases: ['default.target'] }),
  ],
  spans: [
    span('cloud-init:modules-final', 11, 39, { unit: 'cloud-final.service' }),
    span('cloud-init:modules-final/config-scripts-user', 12, 32, { parent: 'cloud-init:modules-final' }),
    span('cloud-init:modules-final/config-phone-home', 32, 37, {
      parent: 'cloud-init:modules-final',
      wait: 'server: until it answers',
    }),
  ],
});

describe('findings', () => {
  const [work, wait, gap] = found(boot);

  test('name the module that took most of the largest work, with its saving and the command', () => {
    expect(work).toMatchObject({
      kind: 'work',
      name: 'config-scripts-user',
      inside: 'cloud-final.service',
      id: 'cloud-init:modules-final/config-scripts-user',
      tookUs: 20e6,
      saving: { savedUs: 20e6 },
    });
    expect(work!.command).toBe("boot what-if --without 'config-scripts-user' --target startup-finished");
  });

  test('name the largest wait with its saving and what it would mean', () => {
    expect(wait).toMatchObject({ kind: 'wait', name: 'config-phone-home', tookUs: 5e6 });
    const note =
      'the 5s of modules-final/config-phone-home are a wait (server: until it answers): what needs this would wait or fail instead';
    expect(wait!.saving).toEqual({ savedUs: 5e6, of: 'startup-finished', note });
  });

  test('leave out a wait that is less than a fiftieth of the total', () => {
    const { spans } = boot;
    const short = spans.map((one) => (one.wait === undefined ? one : { ...one, endUs: one.startUs + 1e6 }));
    expect(found({ ...boot, spans: short }).map(({ kind }) => kind)).not.toContain('wait');
  });

  test('name a gap that is larger than the next work, whose saving is unknown', () => {
    expect(gap).toMatchObject({ kind: 'gap', name: 'before multi-user.target', tookUs: 20e6 });
    expect(gap!.saving).toEqual({ unknown: 'no input says what happened in this time' });
    expect(gap!.id).toBeUndefined();
  });

  test('name the next work if it is larger than every gap', () => {
    const quick = {
      ...boot,
      units: boot.units.map((u) => (u.name === 'slow.service' ? { ...u, activatingUs: 2.7e6 } : u)),
    };
    const third = found({ ...quick, manager: managerTimes({ finishUs: 40e6 }), units: quick.units.slice(0, 3) })[2];
    expect(third).toMatchObject({ kind: 'work', name: 'slow.service' });
  });

  test('give no saving for what the model does not include, and say why', () => {
    const [longest] = found(bootRecord({ manager: managerTimes({ userspaceUs: 50e6, finishUs: 60e6 }) }));
    expect(longest).toMatchObject({ name: 'kernel', saving: { unknown: 'the what-if model does not include kernel' } });
    expect(longest!.command).toBe('boot blame');
  });

  test('compute the saving at the first start of a kubelet that was restarted', () => {
    const restarted = bootRecord({
      units: [unit('kubelet.service', 300, 0.1)],
      spans: [span('kubelet:load', 10, 30, { unit: 'kubelet.service' })],
      milestones: [{ name: 'node-ready', atUs: 40e6, source: 'cluster' }],
    });
    expect(found(restarted)[0]).toMatchObject({ name: 'load', saving: { savedUs: 20e6, of: 'node-ready' } });
  });

  test('are at most three of any boot, each different and inside the total', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        const path = pathSegments(record);
        const answers = findings(record, path);
        expect(answers.length).toBeLessThanOrEqual(3);
        expect(new Set(answers.map(({ name, kind, startUs }) => `${kind} ${name} ${startUs}`)).size).toBe(
          answers.length,
        );
        for (const { tookUs } of answers) expect(tookUs).toBeLessThanOrEqual(path.endUs - path.startUs);
      }),
      { numRuns: 200 },
    );
  });

  test('have the saving that their command computes, and never more than their time', () => {
    fc.assert(
      fc.property(anyRecord, (record) => {
        for (const { saving, command, tookUs } of found(record)) {
          if ('unknown' in saving) continue;
          const [, kind, text] = /^boot what-if --(set|without) '(.*)' --target /.exec(command)!;
          const { savedUs } = whatIf(record, [parseEdit(kind as 'set' | 'without', text!)], saving.of);
          expect(savedUs).toBe(saving.savedUs);
          expect(savedUs).toBeLessThanOrEqual(tookUs + 1000);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('the sentence', () => {
  test.each([
    [
      nodeBoot,
      'Ready after 30s: 10s of it is cloud-final.service; 5s waiting (network: until it is online); 12s no input explains.',
    ],
    [parkedBoot, 'The last known event is after 16min 56s: 16min 40s of it is waiting (platform: parked).'],
    [bootRecord(), 'No input measures how long the boot took.'],
  ])('says when and of what %#', (record, sentence) => {
    expect(answerSentence(pathSegments(record))).toBe(sentence);
  });
});

test.each([
  [135_953_000, '2min 16s'],
  [46_751_000, '47s'],
  [5_080_000, '5.1s'],
  [3_000_000, '3s'],
  [113_400, '113ms'],
])('rounds %d µs to %s', (us, text) => expect(roundSpan(us)).toBe(text));

test.each([
  ['boot.tar.gz', 'boot.tar.gz'],
  ['my boot.tar.gz', "'my boot.tar.gz'"],
  ["it's", "'it'\\''s'"],
  ['-rf', "'-rf'"],
  ['', "''"],
])('quotes %s for a shell', (word, text) => expect(quoted(word)).toBe(text));
