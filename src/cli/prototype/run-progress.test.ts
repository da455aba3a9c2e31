import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../prototype/run/run-event.ts';
import type { CliDeps } from '../verb.ts';
import { showRetries, showRun } from './run-progress.ts';

function shown(events: RunEvent[], more: Partial<CliDeps> = {}, json = false): { stdout: string; stderr: string } {
  const out = { stdout: '', stderr: '' };
  const deps: CliDeps = {
    stdout: (text) => {
      out.stdout += text;
    },
    stderr: (text) => {
      out.stderr += text;
    },
    readStdin: () => new Uint8Array(),
    env: {},
    isTerminal: { stdout: false, stderr: false },
    nowUs: () => 0,
    signal: () => new AbortController().signal,
    ...more,
  };
  const tell = showRun(deps, { json, logLevel: 'INFO' });
  for (const event of events) tell(event);
  return out;
}

const step = (id: string, title: string): RunEvent => ({ event: 'step', step: id, title, attempt: 1 });
const planned = (id: string, usuallyMs: number): RunEvent => ({
  event: 'plan',
  steps: [{ id, title: id, usuallyMs, state: 'next' }],
});

describe('showRun', () => {
  it('prints a note before the steps', () => {
    expect(shown([{ event: 'note', text: 'the definition was made by another tool' }]).stderr).toContain(
      'note: the definition was made by another tool',
    );
  });

  it('prints the chosen donor with the reason, and the usual duration of long steps', () => {
    const { stderr, stdout } = shown([
      { event: 'donor', node: 'n1', because: 'the best candidate' },
      planned('cordon', 1000),
      step('cordon', 'cordon the donor'),
      planned('await-version', 40 * 60_000),
      step('await-version', 'wait until the version is made'),
    ]);
    expect(stderr.split('\n').map((line) => line.trim().replace(/^0 +/, ''))).toEqual([
      'the donor is n1: the best candidate',
      'cordon the donor',
      'wait until the version is made (usually 40min)',
      '',
    ]);
    expect(stdout).toBe('');
  });

  it('prints what a step changes in the model', () => {
    const changes = [{ field: 'ordering' as const, from: 'agent after vmssCSE', to: 'agent' }];
    const { stderr } = shown([{ event: 'step', step: 'switch-model', title: 'switch', attempt: 1, changes }]);
    expect(stderr).toContain('ordering: agent after vmssCSE -> agent');
  });

  it('prints warnings of a step', () => {
    const { stderr } = shown([{ event: 'warning', step: 'restore-node', warning: 'n1 stays cordoned' }]);
    expect(stderr).toContain('warning: n1 stays cordoned');
  });

  it('writes no foreign control characters to a terminal', () => {
    const { stderr } = shown([{ event: 'donor', node: 'n1', because: 'a\u001b[2Jb' }]);
    expect(stderr).not.toContain('\u001b');
  });

  it('prints one JSON document per line, without the plan', () => {
    const { stdout, stderr } = shown([planned('a', 1), step('a', 'A')], {}, true);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'PrototypeEvent', event: 'step', step: 'a' });
    expect(stderr).toBe('');
  });
});

it('showRetries prints only retries', () => {
  let result = '';
  const tell = showRetries({
    stderr: (text) => {
      result += text;
    },
  });
  tell(step('a', 'A'));
  tell({ event: 'retry', step: 'a', attempt: 2, inMs: 4_000, because: 'Azure answered\n503' });
  expect(result).toBe('waiting: Azure answered\ufffd503; retrying in 4s\n');
});
