import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../base/command.ts';
import { helperName, helperPod, stateOf } from './helper-pod.ts';
import { LAUNCHER, parseFrame, renderFrame } from './run-frame.ts';

const anyText = fc.string({ unit: 'grapheme', maxLength: 400 });

describe('a script’s result in a log', () => {
  it('is read back unchanged with any output around it', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.nat(255), anyText, (stdout, stderr, exitCode, noise) => {
        const result = { exitCode, stdout, stderr };
        expect(parseFrame(`${noise}\n${renderFrame(result)}${noise}`)).toEqual(result);
      }),
    );
  });

  it('is undefined if the log is truncated anywhere', () => {
    const frame = renderFrame({ exitCode: 0, stdout: 'x'.repeat(200), stderr: 'y' });
    for (let end = 0; end < frame.length - 1; end++) expect(parseFrame(frame.slice(0, end))).toBeUndefined();
  });

  it.each(['/bin/sh', '/usr/bin/dash', '/bin/bash'])('is what the launcher prints in %s', async (shell) => {
    const folder = mkdtempSync(join(tmpdir(), 'headstart-frame-'));
    const script = `printf 'out %s ü\\n' "\${1-none}"; echo 'it'\\''s bad' >&2; cat; exit 7`;
    // On a node it runs as root in /run; here any user can run it.
    const ran = await runCommand([shell, '-c', LAUNCHER.replace('/run/', `${folder}/`), 'headstart', script]);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
    if (ran.outcome === 'missing') return;
    expect(parseFrame(ran.stdout.toString())).toEqual({ exitCode: 7, stdout: 'out none ü\n', stderr: "it's bad\n" });
  });
});

describe('the helper pod', () => {
  const pod = helperPod({ nodeName: 'n1', namespace: 'ns', image: 'i', script: 'true "$x"', deadlineMs: 1_500 });

  it('is pinned to the node, tolerates all taints, has no token and has a deadline', () => {
    expect(pod.spec).toMatchObject({
      nodeName: 'n1',
      tolerations: [{ operator: 'Exists' }],
      automountServiceAccountToken: false,
      restartPolicy: 'Never',
      hostPID: true,
      activeDeadlineSeconds: 2,
    });
  });

  it('gets the script as one argument', () => {
    expect(pod.spec!.containers[0]!.args!.at(-1)).toBe('true "$x"');
    expect(() =>
      helperPod({ nodeName: 'n', namespace: 'ns', image: 'i', script: 'x'.repeat(130_000), deadlineMs: 1 }),
    ).toThrow('too long');
  });

  it('has a valid name that is unique per node', () => {
    fc.assert(fc.property(fc.string({ minLength: 1 }), (name) => /^[a-z0-9-]{1,63}$/.test(helperName(name))));
    expect(helperName('n1')).not.toBe(helperName('n2'));
  });

  it('has ended, is running, or is waiting with a reason', () => {
    const waiting = { name: 'run', image: '', imageID: '', ready: false, restartCount: 0 };
    expect(stateOf({ status: { phase: 'Failed' } })).toEqual({ is: 'ended' });
    expect(stateOf({ status: { phase: 'Running' } })).toEqual({ is: 'running' });
    expect(stateOf({})).toMatchObject({ is: 'waiting' });
    expect(
      stateOf({
        status: {
          phase: 'Pending',
          containerStatuses: [{ ...waiting, state: { waiting: { reason: 'ErrImagePull' } } }],
        },
      }),
    ).toEqual({ is: 'waiting', reason: 'ErrImagePull' });
  });
});
