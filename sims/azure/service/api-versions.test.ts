import { describe, expect, it } from 'vitest';
import { Bench, codeOf } from '../testing.ts';
import { API_VERSIONS, type Provider, servedVersions } from './api-versions.ts';
import { stringAt } from './json.ts';

const SET = 'virtualMachineScaleSets/pool1';

describe('api-versions', () => {
  it('that are served are those with a specification and others, oldest first', () => {
    for (const provider of Object.keys(API_VERSIONS) as Provider[]) {
      const served = servedVersions(provider);
      expect(served).toContain(API_VERSIONS[provider]);
      expect(served).toEqual([...new Set(served)].sort());
    }
  });

  it.each([
    ['the first SDK', SET, '2024-07-01'],
    ['the newest SDK', SET, '2026-04-01'],
    ['the command line', SET, '2024-11-01'],
    ['an older command line', SET, '2023-09-01'],
    ['disks of the command line', 'disks', '2023-04-02'],
    ['snapshots of the command line', 'snapshots', '2023-10-02'],
    ['galleries of the command line', 'galleries', '2021-10-01'],
    ['galleries of the newest SDK', 'galleries', '2026-03-03'],
  ])('accepts the api-version of %s', (_, path, apiVersion) => {
    expect(new Bench().ask('GET', path, { apiVersion }).status).toBe(200);
  });

  it.each([
    [SET, '2024-07-02', '2024-07-01'],
    ['snapshots', '2024-07-01', '2024-03-02'],
    ['galleries', '2024-07-01', '2024-03-03'],
  ])('refuses the api-version of %s %s, and lists what it accepts', (path, apiVersion, accepted) => {
    const answer = new Bench().ask('GET', path, { apiVersion });
    expect(codeOf(answer)).toEqual([400, 'InvalidApiVersionParameter']);
    expect(stringAt(answer.body, 'error', 'message')).toContain(accepted);
  });

  it('gives an operation the api-version of the request that began it', () => {
    const bench = new Bench();
    const { headers } = bench.ask('POST', `${SET}/virtualMachines/0/powerOff`, { apiVersion: '2024-11-01' });
    expect(headers?.['azure-asyncoperation']).toContain('api-version=2024-11-01&');
    expect(bench.ask('GET', headers!['azure-asyncoperation']!).status).toBe(200);
  });

  it('have to be named', () => {
    const { pathname } = new Bench().urlOf(SET);
    expect(codeOf(new Bench().ask('GET', `${pathname}?api-version=`))).toEqual([400, 'InvalidApiVersionParameter']);
  });
});
