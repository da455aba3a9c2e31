import { describe, expect, it } from 'vitest';
import { answer, serverOf } from './answer.ts';
import { anInstance, aRequest } from './testing.ts';

const NOW = 1_800_000_000_000;

describe('serverOf', () => {
  it.each([
    ['/machine?comp=goalstate', '168.63.129.16', 'wire'],
    ['/metadata/instance', '168.63.129.16:80', 'wire'],
    ['/metadata/instance', '169.254.169.254', 'imds'],
    ['/machine?comp=goalstate', '169.254.169.254:80', 'imds'],
    ['/metadata/instance', '127.0.0.1:4711', 'imds'],
    ['/?comp=versions', '127.0.0.1:4711', 'wire'],
  ])('%s at %s is %s', (target, host, platform) => {
    expect(serverOf(aRequest(target, { headers: { host } }))).toBe(platform);
  });

  it('goes by the path when there is no Host header', () => {
    expect(answer(aRequest('/metadata/versions'), anInstance, NOW).response.status).toBe(200);
    expect(answer(aRequest('/machine?comp=goalstate'), anInstance, NOW).response.status).toBe(200);
  });
});
