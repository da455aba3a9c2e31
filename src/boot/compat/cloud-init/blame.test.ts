import { describe, expect, it } from 'vitest';
import { blameOf, blameText } from './blame.ts';
import { banner, bootsIn, report, stageLog, stampAt } from './testing.ts';

describe('cloud-init blame', () => {
  it('edge case 9: sorts 120 seconds before 30', () => {
    const log = [
      banner(stampAt(0), 'init-local', 5),
      report(stampAt(1), 'start: init-local/short: s'),
      report(stampAt(31), 'finish: init-local/short: SUCCESS: s'),
      report(stampAt(31), 'start: init-local/long: l'),
      report(stampAt(151), 'finish: init-local/long: SUCCESS: l'),
      report(stampAt(152), 'finish: init-local: SUCCESS: done'),
    ].join('');
    expect(blameOf(bootsIn(log)[0]!).map(({ step }) => step.name)).toEqual([
      'init-local/long',
      'init-local/short',
      'init-local',
    ]);
  });

  it('lists a stage with its time without its steps, and labels it', () => {
    expect(blameText(bootsIn(stageLog('init-local', 0)))).toBe(
      '-- Boot Record 01 --\n' +
        '     02.00000s (init-local, without the steps in it)\n' +
        '     02.00000s (init-local/config-a)\n' +
        '\n1 boot records analyzed\n',
    );
  });

  it('edge case 14: lists an unfinished stage last, without a number', () => {
    const cut = stageLog('init-network', 10).split('\n').slice(0, 2).join('\n');
    const text = blameText(bootsIn(`${stageLog('init-local', 0)}${cut}\n`));
    expect(text).toContain('? (init-network) [its finish is not in this log]');
    expect(text.trimEnd().split('\n').at(-3)).toContain('?');
  });

  it('sorts equal durations by name, so that the output is deterministic', () => {
    const log = [
      banner(stampAt(0), 'init-local', 5),
      report(stampAt(0), 'start: init-local/b: b'),
      report(stampAt(2), 'finish: init-local/b: SUCCESS: b'),
      report(stampAt(2), 'start: init-local/a: a'),
      report(stampAt(4), 'finish: init-local/a: SUCCESS: a'),
    ].join('');
    expect(blameOf(bootsIn(log)[0]!).map(({ step }) => step.name)).toEqual(['init-local/a', 'init-local/b']);
  });
});
