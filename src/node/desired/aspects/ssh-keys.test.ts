import { describe, expect, it } from 'vitest';
import { linesAt, want } from '../desired.testing.ts';

const SETTINGS = '/etc/ssh/sshd_config.d/20-headstart.conf';

describe('SSH access', () => {
  it('has keys in a folder of root that sshd reads in addition to the file of the user', () => {
    const over = { ssh: { authorizedKeys: { admin: ['ssh-ed25519 AAAA', 'ssh-ed25519 BBBB'] } } };
    expect(linesAt('/etc/ssh/authorized_keys.d/admin', over)).toEqual(['ssh-ed25519 AAAA', 'ssh-ed25519 BBBB']);
    expect(linesAt(SETTINGS, over)).toEqual(['AuthorizedKeysFile .ssh/authorized_keys /etc/ssh/authorized_keys.d/%u']);
    expect(want(over).files.get(SETTINGS)?.after).toEqual([{ do: 'reload', unit: 'ssh.service' }]);
  });

  it.each([
    [true, 'PasswordAuthentication yes'],
    [false, 'PasswordAuthentication no'],
  ])('with passwordAuthentication %s writes the setting', (passwordAuthentication, line) => {
    expect(linesAt(SETTINGS, { ssh: { authorizedKeys: {}, passwordAuthentication } })).toEqual([line]);
  });

  it('is unchanged if the document has no ssh settings', () => {
    expect(want().files.has(SETTINGS)).toBe(false);
  });
});
