import { describe, expect, it } from 'vitest';
import type { Edges } from '../verb.ts';
import { orInterrupted, tellStory } from './story.ts';

function listen(isTerminal = false) {
  const told = { stdout: '', stderr: '', nowUs: 0 };
  const edges: Edges = {
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
  return { told, edges };
}

describe('the story of a long verb', () => {
  it('tells what is awaited once, and again when nothing was said for half a minute', () => {
    const { told, edges } = listen();
    const story = tellStory(edges, {});
    story.step('starting');
    for (let second = 0; second <= 65; second++) {
      told.nowUs = second * 1e6;
      story.waiting('the guest');
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
    const { told, edges } = listen(true);
    const story = tellStory(edges, {});
    story.waiting('the guest', 40);
    story.step('done');
    story.end();
    expect(told.stderr).toBe('\r\u001b[K        0    waiting for the guest 40%\r\u001b[K        0  done\n');
  });

  it('cuts what goes on in place to the terminal: a line that wraps cannot be written over', () => {
    const { told, edges } = listen(true);
    tellStory({ ...edges, columnsOf: () => 40 }, {}).waiting('pool1-000001 (cloud-init to finish), pool1-000002');
    expect(told.stderr).toBe('\r\u001b[K        0    waiting for pool1-000001 …');
  });

  it('is lines of JSON for scripts, each thing once, and steers no terminal', () => {
    const { told, edges } = listen();
    const story = tellStory(edges, { json: true });
    story.waiting('a');
    story.waiting('a');
    expect(told.stdout.trim().split('\n')).toHaveLength(1);
    const shown = listen();
    tellStory(shown.edges, {}).step('\u001b[2Jgone');
    expect(shown.told.stderr).not.toContain('\u001b');
  });
});

describe('an interruption', () => {
  it('tells what there is, whatever was thrown; other failures pass', async () => {
    const told = { kept: 'k', next: 'n' };
    const fail = () => Promise.reject(new Error('socket closed'));
    await expect(orInterrupted(AbortSignal.abort('SIGINT'), told, fail)).rejects.toMatchObject({
      code: 'pool/interrupted',
      exitCode: 4,
      ...told,
    });
    await expect(orInterrupted(new AbortController().signal, told, fail)).rejects.toThrow('socket closed');
  });
});
