import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CliDeps } from '../verb.ts';
import { everySecond, progressLines, showProgress, showWaiting } from './progress.ts';

function listen(isTerminal = false) {
  const result = { stdout: '', stderr: '', nowUs: 0 };
  const deps: CliDeps = {
    stdout: (text) => {
      result.stdout += text;
    },
    stderr: (text) => {
      result.stderr += text;
    },
    readStdin: () => new Uint8Array(),
    env: {},
    isTerminal: { stdout: isTerminal, stderr: isTerminal },
    nowUs: () => result.nowUs,
    signal: () => new AbortController().signal,
  };
  return { result, deps };
}

describe('showProgress', () => {
  it('prints a wait once, and again after 30 s without a line', () => {
    const { result, deps } = listen();
    const progress = showProgress(deps, 'PoolEvent', {});
    progress.step('starting');
    for (let second = 0; second <= 65; second++) {
      result.nowUs = second * 1e6;
      progress.waiting('the guest');
    }
    expect(result.stderr.split('\n')).toEqual([
      '        0  starting',
      '        0    waiting for the guest',
      '      30s    waiting for the guest',
      '     1min    waiting for the guest',
      '',
    ]);
  });

  it('overwrites the line on a terminal, and clears it at the end', () => {
    const { result, deps } = listen(true);
    const progress = showProgress(deps, 'PoolEvent', {});
    progress.waiting('the guest', 40);
    progress.step('done');
    progress.end();
    expect(result.stderr).toBe('\r\u001b[K        0    waiting for the guest 40%\r\u001b[K        0  done\n');
  });

  it('cuts the overwritten line to the terminal: a wrapped line cannot be overwritten', () => {
    const { result, deps } = listen(true);
    showProgress({ ...deps, columnsOf: () => 40 }, 'PoolEvent', {}).waiting(
      'pool1-000001 (cloud-init to finish), pool1-000002',
    );
    expect(result.stderr).toBe('\r\u001b[K        0    waiting for pool1-000001 …');
  });

  it('prints one JSON line per event, repeated waits once, and no terminal codes', () => {
    const { result, deps } = listen();
    const progress = showProgress(deps, 'PoolEvent', { json: true });
    progress.waiting('a');
    progress.waiting('a');
    expect(result.stdout.trim().split('\n')).toHaveLength(1);
    const shown = listen();
    showProgress(shown.deps, 'PoolEvent', {}).step('\u001b[2Jgone');
    expect(shown.result.stderr).not.toContain('\u001b');
  });
});

it('showWaiting prints each wait once, on its own line, without control characters', () => {
  let result = '';
  const waiting = showWaiting({
    stderr: (text) => {
      result += text;
    },
    isTerminal: { stdout: false, stderr: false },
  });
  for (const what of ['Azure answered 503', 'Azure answered 503', 'changing \u001b[2Jpool']) waiting(what);
  expect(result.split('\n')).toEqual([
    'waiting: Azure answered 503',
    expect.stringMatching(/^waiting: changing [^\u001b]*pool$/),
    '',
  ]);
});

describe('progressLines', () => {
  it('show the time of the step after a wait, and fit the terminal', () => {
    const { result, deps } = listen(true);
    const lines = progressLines({ ...deps, columnsOf: () => 40 }, { showsStepTime: true });
    result.nowUs = 60e6;
    lines.step('copying');
    result.nowUs = 65e6;
    lines.waiting('the version to be replicated to every region');
    const shown = result.stderr.slice(result.stderr.lastIndexOf('\r\u001b[K') + 4);
    expect(shown).toBe('  1min 5s    waiting for the vers… (5s)');
    expect(shown.length).toBeLessThan(40);
  });

  it('print a wait only once without repeatsWaits, even after a step and more than an hour', () => {
    const { result, deps } = listen();
    const lines = progressLines(deps, { repeatsWaits: false });
    for (const second of [0, 40, 3_700, 3_733]) {
      result.nowUs = second * 1e6;
      lines.waiting('the version');
    }
    lines.step('next');
    lines.waiting('the version');
    expect(result.stderr.match(/waiting for the version/g)).toHaveLength(1);
  });

  it('indent the details of a step', () => {
    const { result, deps } = listen();
    const lines = progressLines(deps);
    lines.line('donor');
    lines.detail('again');
    expect(result.stderr).toBe('        0  donor\n        0    again\n');
  });
});

describe('everySecond', () => {
  afterEach(() => vi.useRealTimers());

  it('repeats the last wait until it is stopped, and starts with nothing', () => {
    vi.useFakeTimers();
    const result: unknown[][] = [];
    const { waiting, stop } = everySecond((...said) => result.push(said));
    vi.advanceTimersByTime(2_000);
    expect(result).toEqual([]);
    waiting('unpacking', 10);
    vi.advanceTimersByTime(2_000);
    stop();
    vi.advanceTimersByTime(5_000);
    expect(result).toEqual([
      ['unpacking', 10],
      ['unpacking', 10],
      ['unpacking', 10],
    ]);
  });
});
