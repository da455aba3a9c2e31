import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CliDeps } from '../verb.ts';
import { everySecond, progressLines, showProgress, showWaiting } from './progress.ts';

function listen(isTerminal = false) {
  const told = { stdout: '', stderr: '', nowUs: 0 };
  const deps: CliDeps = {
    stdout: (text) => {
      told.stdout += text;
    },
    stderr: (text) => {
      told.stderr += text;
    },
    readStdin: () => new Uint8Array(),
    env: {},
    isTerminal: { stdout: isTerminal, stderr: isTerminal },
    nowUs: () => told.nowUs,
    signal: () => new AbortController().signal,
  };
  return { told, deps };
}

describe('the progress of a long verb', () => {
  it('tells what is awaited once, and again when nothing was said for half a minute', () => {
    const { told, deps } = listen();
    const progress = showProgress(deps, 'PoolEvent', {});
    progress.step('starting');
    for (let second = 0; second <= 65; second++) {
      told.nowUs = second * 1e6;
      progress.waiting('the guest');
    }
    expect(told.stderr.split('\n')).toEqual([
      '        0  starting',
      '        0    waiting for the guest',
      '      30s    waiting for the guest',
      '     1min    waiting for the guest',
      '',
    ]);
  });

  it('goes on in place on a terminal, and leaves nothing of it behind', () => {
    const { told, deps } = listen(true);
    const progress = showProgress(deps, 'PoolEvent', {});
    progress.waiting('the guest', 40);
    progress.step('done');
    progress.end();
    expect(told.stderr).toBe('\r\u001b[K        0    waiting for the guest 40%\r\u001b[K        0  done\n');
  });

  it('cuts what goes on in place to the terminal: a line that wraps cannot be written over', () => {
    const { told, deps } = listen(true);
    showProgress({ ...deps, columnsOf: () => 40 }, 'PoolEvent', {}).waiting(
      'pool1-000001 (cloud-init to finish), pool1-000002',
    );
    expect(told.stderr).toBe('\r\u001b[K        0    waiting for pool1-000001 …');
  });

  it('is lines of JSON for scripts, each thing once, and steers no terminal', () => {
    const { told, deps } = listen();
    const progress = showProgress(deps, 'PoolEvent', { json: true });
    progress.waiting('a');
    progress.waiting('a');
    expect(told.stdout.trim().split('\n')).toHaveLength(1);
    const shown = listen();
    showProgress(shown.deps, 'PoolEvent', {}).step('\u001b[2Jgone');
    expect(shown.told.stderr).not.toContain('\u001b');
  });
});

it('tells each wait once, one a line, and lets no server steer the terminal', () => {
  let told = '';
  const waiting = showWaiting({
    stderr: (text) => {
      told += text;
    },
    isTerminal: { stdout: false, stderr: false },
  });
  for (const what of ['Azure answered 503', 'Azure answered 503', 'changing \u001b[2Jpool']) waiting(what);
  expect(told.split('\n')).toEqual([
    'waiting: Azure answered 503',
    expect.stringMatching(/^waiting: changing [^\u001b]*pool$/),
    '',
  ]);
});

describe('the lines of progress', () => {
  it('show the time of the step behind a wait, and still fit the terminal', () => {
    const { told, deps } = listen(true);
    const lines = progressLines({ ...deps, columnsOf: () => 40 }, { showsStepTime: true });
    told.nowUs = 60e6;
    lines.step('copying');
    told.nowUs = 65e6;
    lines.waiting('the version to be replicated to every region');
    const shown = told.stderr.slice(told.stderr.lastIndexOf('\r\u001b[K') + 4);
    expect(shown).toBe('  1min 5s    waiting for the vers… (5s)');
    expect(shown.length).toBeLessThan(40);
  });

  it('tell a wait once if they do not repeat it, also after a step and after more than an hour', () => {
    const { told, deps } = listen();
    const lines = progressLines(deps, { repeatsWaits: false });
    for (const second of [0, 40, 3_700, 3_733]) {
      told.nowUs = second * 1e6;
      lines.waiting('the version');
    }
    lines.step('next');
    lines.waiting('the version');
    expect(told.stderr.match(/waiting for the version/g)).toHaveLength(1);
  });

  it('indent what belongs to a step', () => {
    const { told, deps } = listen();
    const lines = progressLines(deps);
    lines.line('donor');
    lines.detail('again');
    expect(told.stderr).toBe('        0  donor\n        0    again\n');
  });
});

describe('a wait that is repeated every second', () => {
  afterEach(() => vi.useRealTimers());

  it('goes on with the last thing said until it is stopped, and says nothing of its own', () => {
    vi.useFakeTimers();
    const told: unknown[][] = [];
    const { waiting, stop } = everySecond((...said) => told.push(said));
    vi.advanceTimersByTime(2_000);
    expect(told).toEqual([]);
    waiting('unpacking', 10);
    vi.advanceTimersByTime(2_000);
    stop();
    vi.advanceTimersByTime(5_000);
    expect(told).toEqual([
      ['unpacking', 10],
      ['unpacking', 10],
      ['unpacking', 10],
    ]);
  });
});
