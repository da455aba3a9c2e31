import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { whyUnreadable, whyUnwritable } from './why-unreadable.ts';

const failure = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

it('error codes have a description, which differs for reading and writing', () => {
  const missing = failure(() => readFileSync('/no/such/file'));
  expect(whyUnreadable(missing)).toBe('it does not exist');
  expect(whyUnwritable(missing)).toBe('its folder does not exist');
  expect(whyUnreadable(failure(() => readFileSync(tmpdir())))).toBe('it is a folder');
  expect(whyUnwritable(failure(() => writeFileSync(`${tmpdir()}/${'x'.repeat(300)}`, '')))).toBe(
    'its name is too long',
  );
});

it('a full disk has a description for writing, and an unknown code is returned unchanged', () => {
  expect(whyUnwritable({ code: 'ENOSPC' })).toBe('the disk is full');
  expect(whyUnreadable({ code: 'EIO', message: 'EIO: i/o error' })).toBe('EIO');
});

it('an error without a code is described by its message', () => {
  expect(whyUnreadable(new Error('not a file of ours'))).toBe('not a file of ours');
});
