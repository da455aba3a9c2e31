import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../base/errors.ts';
import { parseAzureJson } from './azure-json.ts';

const canary = 'canary-secret-5d1f';
const principal = { tenantId: 't', aadClientId: 'c', aadClientSecret: canary };

describe("the secrets in a cloud provider's file", () => {
  it.each([`{"aadClientSecret": "${canary}" "tenantId": 1}`, JSON.stringify({ ...principal, tenantId: 7 })])(
    'do not show in the message about a file that cannot be read',
    (text) => {
      try {
        parseAzureJson(text, 'azure.json');
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(UserError);
        expect(inspect(error, { depth: 9 })).not.toContain(canary);
      }
    },
  );

  it('are found in a file that begins with a byte order mark', () => {
    expect(parseAzureJson(`\uFEFF${JSON.stringify(principal)}`, 'azure.json').aadClientSecret?.reveal()).toBe(canary);
  });
});

describe('the fields of a cloud provider file', () => {
  const read = (fields: object) => parseAzureJson(JSON.stringify(fields), 'azure.json');

  it('are absent when they are empty or blank', () => {
    expect(read({ tenantId: '', aadClientId: '  ' })).toMatchObject({ tenantId: undefined, aadClientId: undefined });
  });

  it.each([true, 'true', false, 'false', undefined])('may write a flag as %j', (given) => {
    const { useManagedIdentityExtension } = read({ useManagedIdentityExtension: given });
    expect(useManagedIdentityExtension).toBe(String(given) === 'true');
  });

  it('are named when they are wrong, with the file and what to do', () => {
    expect(() => read({ subscriptionId: 7 })).toThrow(
      expect.objectContaining({
        code: 'azure/bad-azure-json',
        message: expect.stringMatching(/^azure\.json .*subscriptionId/),
        next: expect.stringContaining('--azure-json'),
      }),
    );
  });
});
