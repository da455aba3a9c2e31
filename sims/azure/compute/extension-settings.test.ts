import { describe, expect, it } from 'vitest';
import { agentFiles } from './extension-settings.ts';

describe('agentFiles', () => {
  const script = { name: 'cse', publisher: 'P', type: 'T' };

  it('shows public settings, encrypts protected ones and lays the key beside them', () => {
    const files = agentFiles([{ ...script, settings: { a: 1 }, protectedSettings: { key: 'canary-5b1e' } }]);
    const { '/var/lib/waagent/P.T-1.0.0/config/0.settings': text, ...keys } = files;
    expect(text).toContain('"publicSettings":{"a":1}');
    expect(text).not.toContain('canary-5b1e');
    const [, thumbprint] = /"protectedSettingsCertThumbprint":"([0-9A-F]{40})"/.exec(text!)!;
    expect(Object.keys(keys)).toEqual([`/var/lib/waagent/${thumbprint}.crt`, `/var/lib/waagent/${thumbprint}.prv`]);
  });

  it('makes no key without protected settings', () => {
    expect(Object.keys(agentFiles([script]))).toEqual(['/var/lib/waagent/P.T-1.0.0/config/0.settings']);
  });
});
