import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../base/errors.ts';
import { parseAzureJson } from './azure-json.ts';

const canary = 'canary-secret-5d1f';
const principal = { tenantId: 't', aadClientId: 'c', aadClientSecret: canary };

describe("the secrets in a cloud provider's file", () => {
  it.each([`{"aadClientSecret": "${canary}" "tenantId": 1}`, JSON.stringify({ ...principal, tenantId: 7 })])(
    'do not appear in the error about an invalid file',
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

  it('are read from a file with a byte order mark', () => {
    expect(parseAzureJson(`\uFEFF${JSON.stringify(principal)}`, 'azure.json').aadClientSecret?.reveal()).toBe(canary);
  });
});

describe('the fields of a cloud provider file', () => {
  const read = (fields: object) => parseAzureJson(JSON.stringify(fields), 'azure.json');

  it('are undefined when they are empty or blank', () => {
    expect(read({ tenantId: '', aadClientId: '  ' })).toMatchObject({ tenantId: undefined, aadClientId: undefined });
  });

  it.each([true, 'true', false, 'false', undefined])('accept a flag written as %j', (given) => {
    const { useManagedIdentityExtension } = read({ useManagedIdentityExtension: given });
    expect(useManagedIdentityExtension).toBe(String(given) === 'true');
  });

  it('are named when they are invalid, with the file and the next step', () => {
    expect(() => read({ subscriptionId: 7 })).toThrow(
      expect.objectContaining({
        code: 'azure/bad-azure-json',
        message: expect.stringMatching(/^azure\.json .*subscriptionId/),
        next: expect.stringContaining('--azure-json'),
      }),
    );
  });
});
