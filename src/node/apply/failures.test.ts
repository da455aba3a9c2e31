import { describe, expect, it } from 'vitest';
import type { CommandResult } from '../../base/command.ts';
import { asStepFailed, commandFailed, errnoOf, isDocumentToBlame, StepFailed } from './failures.ts';

const errno = (code: string) => Object.assign(new Error('x'), { code });

describe('a failure of the file system', () => {
  it.each([
    ['ENOSPC', 'apply/disk-full'],
    ['EDQUOT', 'apply/disk-full'],
    ['EROFS', 'apply/write-failed'],
  ])('%s gets the code %s', (code, reason) => {
    const failure = asStepFailed(errno(code), '/etc/a');
    expect(failure).toBeInstanceOf(StepFailed);
    expect(failure).toMatchObject({ code: reason, message: `/etc/a: ${code}` });
  });

  it('is not assumed for a bug or for an error with another kind of code', () => {
    const bug = new TypeError('x');
    expect(asStepFailed(bug, '/etc/a')).toBe(bug);
    expect([errnoOf(errno('ERR_x')), errnoOf(errno('apply/busy')), errnoOf('ENOENT')]).toEqual(
      Array(3).fill(undefined),
    );
  });
});

describe('the document', () => {
  it.each([
    ['verify/unit-failed', true],
    ['verify/node-not-ready', true],
    ['apply/setting-refused', true],
    ['apply/command-failed', true],
    ['verify/api-unreachable', false],
    ['apply/disk-full', false],
    ['apply/drain-failed', false],
  ] as const)('is to blame for %s: %s', (code, isToBlame) => {
    expect(isDocumentToBlame(code)).toBe(isToBlame);
  });
});

describe('a command that failed', () => {
  const ran = (over: Partial<CommandResult>): CommandResult =>
    ({ outcome: 'exited', code: 1, stdout: Buffer.alloc(0), stderr: '', ...over }) as CommandResult;

  it.each([
    [{ stderr: '  it crashed\nand more\n' }, 'nft: exit code 1: it crashed'],
    [{ stderr: '' }, 'nft: exit code 1'],
    [{ outcome: 'missing', code: null }, 'nft: missing'],
    [{ stderr: 'x'.repeat(999) }, `nft: exit code 1: ${'x'.repeat(200)}`],
  ] as const)('is reported with its exit status and one line of stderr: %#', (over, message) => {
    expect(commandFailed('apply/command-failed', 'nft', ran(over as Partial<CommandResult>)).message).toBe(message);
  });
});
