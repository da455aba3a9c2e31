import { describe, expect, it } from 'vitest';
import { asksForJson, readCommandLine, takeFlag } from './command-line.ts';

const KINDS: Readonly<Record<string, 'group' | 'verb'>> = {
  boot: 'group',
  'boot timeline': 'verb',
  'boot systemd': 'group',
  'boot systemd blame': 'verb',
  version: 'verb',
};
const read = (line: string) => readCommandLine(line.split(' ').filter(Boolean), (path) => KINDS[path]);

describe('readCommandLine', () => {
  it.each([
    'help boot systemd blame',
    'boot help systemd blame',
    'boot systemd help blame',
    '--help boot systemd blame',
    'boot -h systemd blame',
    'help boot help systemd blame',
    'boot systemd help blame -i x',
  ])('reads "%s" as a request for the help of the verb', (line) => {
    expect(read(line)).toEqual({ path: ['boot', 'systemd', 'blame'], rest: [], isHelp: true });
  });

  it.each([
    ['', ''],
    ['help', ''],
    ['help help', ''],
    ['boot', 'boot'],
    ['boot help', 'boot'],
    ['help boot', 'boot'],
    ['boot --help', 'boot'],
    ['boot systemd', 'boot systemd'],
  ])('reads "%s" as a request for the help of the group "%s"', (line, group) => {
    expect(read(line)).toEqual({ path: group.split(' ').filter(Boolean), rest: [], isHelp: true });
  });

  it('leaves the words after a verb to the verb', () => {
    expect(read('boot timeline help -h')).toEqual({ path: ['boot', 'timeline'], rest: ['help', '-h'], isHelp: false });
    expect(read('version --json')).toEqual({ path: ['version'], rest: ['--json'], isHelp: false });
  });

  it.each(['boot timelin', 'boot help timelin', 'help boot timelin', 'boot timelin --help'])(
    'finds the unknown word in "%s", with and without help',
    (line) => {
      expect(read(line)).toMatchObject({ path: ['boot'], unknown: 'timelin' });
    },
  );

  it('stops at an option that comes before the verb', () => {
    expect(read('boot --bogus timeline')).toEqual({ path: ['boot'], rest: ['--bogus', 'timeline'], isHelp: false });
  });
});

it('takeFlag removes a flag in every position before --', () => {
  for (const line of ['--verbose boot x', 'boot --verbose x', 'boot x --verbose']) {
    expect(takeFlag(line.split(' '), '--verbose')).toEqual({ isGiven: true, rest: ['boot', 'x'] });
  }
  const passed = ['pool', 'exec', '--', 'ls', '--verbose'];
  expect(takeFlag(passed, '--verbose')).toEqual({ isGiven: false, rest: passed });
});

it.each([
  ['boot blame --json', true],
  ['boot systemd plot --json=short', true],
  ['boot systemd plot --json=off', false],
  ['boot systemd plot --json off', false],
  ['boot timeline --json off', true],
  ['pool exec i -- x --json', false],
  ['boot blame', false],
])('asksForJson of "%s" is %s', (line, expected) => {
  expect(asksForJson(line.split(' '))).toBe(expected);
});
