import { describe, expect, it } from 'vitest';
import { adviceFor } from './what-if-advice.ts';

const facts = { isPartial: false, savedUs: 1e6, tookUs: 2e6 };

describe('adviceFor', () => {
  it('quotes a unit name that a shell would change', () => {
    expect(adviceFor({ kind: 'mask', unit: 'a\\x2db.service' }, facts)?.command).toBe(
      "sudo systemctl mask 'a\\x2db.service'",
    );
  });

  it('is less sure of a pasted chain, and of a saving that is longer than the unit', () => {
    const mask = { kind: 'mask', unit: 'a.service' } as const;
    expect(adviceFor(mask, facts)?.confidence).toBe('medium');
    expect(adviceFor(mask, { ...facts, isPartial: true })?.confidence).toBe('low');
    expect(adviceFor(mask, { ...facts, savedUs: 3e6 })?.confidence).toBe('low');
  });

  it('has no advice for edits without a command', () => {
    expect(adviceFor({ kind: 'without', unit: 'modules-final' }, facts)).toBeUndefined();
    expect(adviceFor({ kind: 'set', unit: 'a.service', tookUs: 0 }, facts)).toBeUndefined();
  });

  it('says of a unit that failed that it is better repaired', () => {
    const mask = { kind: 'mask', unit: 'rsyslog.service' } as const;
    expect(adviceFor(mask, { ...facts, failure: 'exit code' })?.risk).toBe(
      'it failed in this boot (exit code): better repair it',
    );
  });

  it('names the units that would not be started any more', () => {
    const advice = adviceFor({ kind: 'without', unit: 'cloud-init' }, { ...facts, lost: ['agent.service'] })!;
    expect(advice.risk).toContain('agent.service');
    expect(advice.confidence).toBe('low');
  });

  it('lets the image start what a script started, without the mounts of a service', () => {
    const lost = ['agent.service', 'run-credentials-agent.service.mount'];
    const advice = adviceFor({ kind: 'without', unit: 'config-scripts_user' }, { ...facts, lost })!;
    expect(advice.command).toMatch(/; enable agent\.service in it$/);
    expect([advice.confidence, advice.because]).toEqual(['low', expect.stringContaining(lost.join(', '))]);
  });
});
