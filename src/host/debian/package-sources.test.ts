import { describe, expect, it } from 'vitest';
import { aptConfFrom, readPackageSources, sourcesFor } from './package-sources.ts';

const TARGETS = `http://mirror.example/debian/|bookworm|main|Debian
http://mirror.example/debian/|bookworm|contrib|Debian
http://mirror.example/debian/|bookworm-updates|main|Debian
http://mirror.example/security/|bookworm-security|main|Debian
http://mirror.example/security/|bookworm-security|main|Debian
http://mirror.example/debian/|bookworm-backports|main|Debian Backports
https://vendor.example/apt/|bookworm|main|Vendor
https://vendor.example/apt/|nodistro|main|Vendor
`;

describe('package sources', () => {
  it("are this machine's Debian mirrors, without third-party sources", () => {
    expect(sourcesFor('bookworm', { targets: TARGETS, codename: 'bookworm', keyring: undefined })).toEqual([
      'deb http://mirror.example/debian/ bookworm main',
      'deb http://mirror.example/debian/ bookworm-updates main',
      'deb http://mirror.example/security/ bookworm-security main',
    ]);
  });

  it("use the same mirror for another suite than this machine's", () => {
    const lines = sourcesFor('trixie', { targets: TARGETS, codename: 'bookworm', keyring: '/k.gpg' });
    expect(lines[2]).toBe('deb [signed-by=/k.gpg] http://mirror.example/security/ trixie-security main');
  });

  it('are accepted without an origin before the first apt-get update', () => {
    const targets = 'http://mirror.example/debian/|bookworm|main|$(ORIGIN)\n';
    expect(sourcesFor('bookworm', { targets, codename: 'bookworm', keyring: undefined })).toHaveLength(1);
  });

  it('are read with --no-release-info when apt lists no index', async () => {
    const { lines } = await readPackageSources('bookworm', async (argv) => {
      const stdout = argv.includes('--no-release-info')
        ? 'http://mirror.example/debian/|bookworm|main|$(ORIGIN)\n'
        : '';
      return { outcome: 'exited', code: 0, stdout: Buffer.from(stdout), stderr: '' };
    });
    expect(lines).toMatchObject([expect.stringMatching(/^deb .*http:\/\/mirror\.example\/debian\/ bookworm main$/)]);
  });

  it('are left to mmdebstrap on a machine that does not run Debian', () => {
    const targets = 'http://archive.example/ubuntu/|noble|main|Ubuntu\n';
    expect(sourcesFor('bookworm', { targets, codename: 'noble', keyring: undefined })).toEqual([]);
    expect(sourcesFor('bookworm', { targets: '', codename: undefined, keyring: undefined })).toEqual([]);
  });
});

it('the apt configuration contains only the settings for reaching mirrors', () => {
  const conf = aptConfFrom(`Acquire "";
Acquire::http "";
Acquire::http::Proxy "http://proxy.example:3128";
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
APT::Install-Recommends "1";
DPkg::Post-Invoke:: "rm -f /var/cache/apt/*.bin || true";
`);
  expect(conf).toContain('Acquire::http::Proxy "http://proxy.example:3128";\nAcquire::Check-Valid-Until "false";\n');
  expect(conf).toContain('APT::Install-Recommends "false";');
  expect(conf).not.toMatch(/Post-Invoke|Languages/);
});
