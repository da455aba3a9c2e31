import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { testDeps } from '../testing.ts';
import { donorTerms, intentOf, namedDonor, type PrototypeRunOptions, withRunOptions } from './run-options.ts';

const parsed = (...line: string[]): PrototypeRunOptions =>
  withRunOptions(new Command().exitOverride().configureOutput({ writeErr: () => {} }))
    .parse(line, { from: 'user' })
    .opts();

describe('namedDonor', () => {
  it('returns the node, or the pool to choose from', () => {
    expect(namedDonor(parsed('--node', 'n'))).toEqual({ node: 'n' });
    expect(namedDonor(parsed('--pool', 'p'))).toEqual({ pool: 'p' });
    expect(() => namedDonor(parsed())).toThrow(expect.objectContaining({ code: 'prototype/no-donor-named' }));
  });

  it('refuses both, except without a cluster', () => {
    const both = ['--node', 'n', '--pool', 'p'];
    expect(() => namedDonor(parsed(...both))).toThrow(expect.objectContaining({ code: 'prototype/two-donors' }));
    expect(namedDonor(parsed(...both, '--no-cluster'))).toEqual({ node: 'n' });
  });
});

describe('donorTerms', () => {
  it('are strict unless the options allow more', () => {
    expect(donorTerms(parsed())).toEqual({
      mayBeUnpatched: false,
      mayBeUnfit: false,
      mayLoseBootstrap: false,
      provenMs: 3_600_000,
    });
    const allowed = ['--allow-unpatched', '--allow-unfit', '--without-way-back', '--ready-for', '2m'];
    expect(donorTerms(parsed(...allowed))).toEqual({
      mayBeUnpatched: true,
      mayBeUnfit: true,
      mayLoseBootstrap: true,
      provenMs: 120_000,
    });
  });

  it.each(['0', '0s'])('accept a donor that has just become Ready with --ready-for %s', (span) => {
    expect(donorTerms(parsed('--ready-for', span)).provenMs).toBe(0);
  });

  it('read the custom data only when needed', () => {
    const { readBootstrap } = donorTerms(parsed('--custom-data', '/nowhere/data'));
    expect(readBootstrap).toThrow(expect.objectContaining({ code: 'prototype/custom-data' }));
  });
});

describe('intentOf', () => {
  const { deps } = testDeps({ nowUs: Date.UTC(2026, 10, 15, 23) * 1000 });

  it("uses the version of the day, and each pod's own grace period for -1", () => {
    expect(intentOf('n', parsed(), 'g', deps)).toMatchObject({
      version: '2026.11.15',
      graceSeconds: 300,
      replicas: 3,
    });
    expect(intentOf('n', parsed('--drain-grace-period', '-1'), 'g', deps).graceSeconds).toBeUndefined();
  });

  it('knows whether the operator named the donor', () => {
    expect(intentOf('n', parsed('--node', 'n'), 'g', deps).isDonorChosen).toBe(false);
    expect(intentOf('n', parsed('--pool', 'p'), 'g', deps).isDonorChosen).toBe(true);
  });
});

describe('the options of a run', () => {
  it.each([
    ['--image-history', '0'],
    ['--replicas', '1.5'],
    ['--replicas', '0'],
    ['--replicas', '101'],
    ['--drain-grace-period', '-2'],
    ['--log-level', 'LOUD'],
    ['--node', '../x'],
  ])('refuse %s %s', (...line) => {
    expect(() => parsed(...line)).toThrow();
  });

  it('accept a log level in any case, and VERBOSE for DEBUG', () => {
    expect(parsed('--log-level', 'warning').logLevel).toBe('WARNING');
    expect(parsed('--log-level', 'verbose').logLevel).toBe('DEBUG');
  });
});
