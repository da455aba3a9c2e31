import { describe, expect, it } from 'vitest';
import { screenOf } from './screen.ts';

const TERMINAL = { isTerminal: { stdout: true, stderr: true }, columnsOf: () => 80 };
const PIPED = { isTerminal: { stdout: false, stderr: false }, columnsOf: () => undefined };
const LIMITLESS = Number.POSITIVE_INFINITY;

describe('the width of the screen', () => {
  it.each([
    ['the width of a terminal is used', TERMINAL, {}, 80],
    ['COLUMNS wins over the terminal', TERMINAL, { COLUMNS: '60' }, 60],
    ['an invalid COLUMNS is ignored', TERMINAL, { COLUMNS: 'wide' }, 80],
    ['a COLUMNS of 0 is ignored', TERMINAL, { COLUMNS: '0' }, 80],
    ['COLUMNS does not limit a pipe', PIPED, { COLUMNS: '60' }, LIMITLESS],
    ['a terminal of unknown width has no limit', { ...TERMINAL, columnsOf: () => undefined }, {}, LIMITLESS],
    ['a terminal of width 0 has no limit', { ...TERMINAL, columnsOf: () => 0 }, {}, LIMITLESS],
    ['a very narrow terminal counts as 20 columns', { ...TERMINAL, columnsOf: () => 3 }, {}, 20],
  ])('%s', (_, deps, env, columns) => {
    expect(screenOf({ ...deps, env }).columns).toBe(columns);
  });

  it('is that of the stream: stderr may be a terminal while stdout is a pipe', () => {
    const deps = { env: {}, isTerminal: { stdout: false, stderr: true }, columnsOf: () => 80 };
    expect(screenOf(deps, 'stderr')).toEqual({ columns: 80, hasColour: true });
    expect(screenOf(deps)).toEqual({ columns: LIMITLESS, hasColour: false });
  });
});

describe('colour', () => {
  it.each([
    ['a terminal has it', TERMINAL, {}, true],
    ['NO_COLOR turns it off', TERMINAL, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR does not', TERMINAL, { NO_COLOR: '' }, true],
    ['a dumb terminal has none', TERMINAL, { TERM: 'dumb' }, false],
    ['a pipe has none', PIPED, {}, false],
    ['FORCE_COLOR colours a pipe', PIPED, { FORCE_COLOR: '1' }, true],
    ['FORCE_COLOR=0 turns it off', TERMINAL, { FORCE_COLOR: '0' }, false],
    ['CLICOLOR_FORCE colours a pipe', PIPED, { CLICOLOR_FORCE: '1' }, true],
    ['CLICOLOR_FORCE=0 has no effect', PIPED, { CLICOLOR_FORCE: '0' }, false],
    ['NO_COLOR wins over FORCE_COLOR', PIPED, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('%s', (_, deps, env, expected) => {
    expect(screenOf({ ...deps, env }).hasColour).toBe(expected);
  });
});
