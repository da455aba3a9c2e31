import { describe, expect, it } from 'vitest';
import { brokenRules } from './commit-rules.ts';

const BODY = 'A rollback offered the same version again.';
const commit = (subject: string, body = BODY) => ({ message: `${subject}\n\n${body}\n` });

describe('brokenRules', () => {
  it.each([
    'prototype: record the snapshot id before creating it',
    'vms/qemu, docs: reset a VM that never wrote to its disk',
    'image: drop the root entry from fstab',
    'e2e: prepare, freeze and claim standby nodes',
  ])('accepts "%s"', (subject) => {
    expect(brokenRules(commit(subject))).toEqual([]);
  });

  it.each([
    ['image: the root is mounted once, as the kernel is told', '"the" is not a known imperative verb'],
    ['docs: what was measured, no more', '"what" is not a known imperative verb'],
    ['node: added a check', '"added" is not a known imperative verb'],
    ['node: fix it', 'names no object'],
    ['node: test', 'names no object'],
    ['node fix the check', 'must read "area: imperative summary"'],
    ['Node: fix the check', 'must read "area: imperative summary"'],
    ['kitchen: fix the sink', 'unknown area "kitchen"'],
    ['node: fix the check.', 'full stop'],
    ['node: warn whoever waits', '"whoever"'],
    [`node: fix ${'x'.repeat(70)}`, 'at most 72'],
  ])('refuses "%s"', (subject, reason) => {
    expect(brokenRules(commit(subject)).join('; ')).toContain(reason);
  });

  it.each([
    ['', 'body is missing'],
    ['Signed-off-by: A <a@example.org>', 'body is missing'],
    [`A ${'long '.repeat(20)}line`, 'too long'],
  ])('refuses the body "%s"', (body, reason) => {
    expect(brokenRules(commit('node: fix the check', body)).join('; ')).toContain(reason);
  });

  it('accepts a long address in the body, and refuses text in the second line', () => {
    expect(brokenRules(commit('node: fix the check', `Seen in\nhttps://example.org/${'x'.repeat(80)}`))).toEqual([]);
    expect(brokenRules({ message: `node: fix the check\n${BODY}\n\n${BODY}` })).toEqual([
      'the second line must be empty',
    ]);
  });

  it('accepts the subjects that git writes', () => {
    expect(brokenRules({ message: 'Revert "node: fix the check"\n' })).toEqual([]);
    expect(brokenRules({ message: 'Merge the plain words of VMs\n' })).toEqual([]);
  });

  it('requires a reason for thousands of changed lines', () => {
    const large = { ...commit('node: rename the slots'), changedLines: 9000 };
    expect(brokenRules(large).join()).toContain('9000 changed lines');
    expect(brokenRules({ ...large, message: `${large.message}\nLarge-change: one rename in every file\n` })).toEqual(
      [],
    );
  });
});
