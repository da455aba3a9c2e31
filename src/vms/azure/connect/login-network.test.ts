import { createPipelineRequest, RestError } from '@azure/core-rest-pipeline';
import { describe, expect, it } from 'vitest';
import { onTrace } from '../../../base/trace.ts';
import { watchLogin } from './login-network.ts';

const request = createPipelineRequest({ url: 'https://login.example/t/oauth2/v2.0/token?canary=1', method: 'POST' });
const answers = async () => ({
  request,
  status: 200,
  headers: request.headers,
  bodyAsText: '{"access_token":"canary"}',
});
const refuses = async () => {
  throw new RestError('connect ECONNREFUSED 127.0.0.1:1', { code: 'ECONNREFUSED', request });
};

describe('watchLogin', () => {
  it('keeps the reason of a failure, which the identity library drops, and returns it once', async () => {
    const { policy, takeFailure, hasAnswered } = watchLogin();
    await expect(policy.sendRequest(request, refuses)).rejects.toThrow('ECONNREFUSED');
    expect(takeFailure()).toMatchObject({ kind: 'refused', code: 'ECONNREFUSED' });
    expect(takeFailure()).toBeUndefined();
    expect(hasAnswered()).toBe(false);
  });

  it('records whether the service has ever responded', async () => {
    const { policy, hasAnswered } = watchLogin();
    await policy.sendRequest(request, answers);
    await policy.sendRequest(request, refuses).catch(() => undefined);
    expect(hasAnswered()).toBe(true);
  });

  it('is traced without query, secret and token', async () => {
    const lines: string[] = [];
    const stop = onTrace(({ text }) => lines.push(text));
    const { policy } = watchLogin();
    await policy.sendRequest({ ...request, body: 'client_secret=canary' }, answers);
    await policy.sendRequest(request, refuses).catch(() => undefined);
    stop();
    expect(lines[0]).toMatch(/^POST https:\/\/login\.example\/t\/oauth2\/v2\.0\/token: 200 in \d+ ms$/);
    expect(lines[1]).toContain('no response: it refused the connection');
    expect(lines.join()).not.toContain('canary');
  });
});
