import { describe, expect, it } from 'vitest';
import { aConfig } from '../../document/configs.testing.ts';
import { linesAt, want } from '../desired.testing.ts';

const FILE = '/etc/systemd/resolved.conf.d/20-headstart.conf';
const { network } = aConfig();

describe('DNS of the host', () => {
  it('is unchanged if the document names no servers', () => {
    expect(want().files.has(FILE)).toBe(false);
  });

  it('has only the settings of the document, and a change restarts the resolver', () => {
    expect(linesAt(FILE, { network: { ...network, dnsServers: ['10.0.0.2', '10.0.0.3'] } })).toEqual([
      '[Resolve]',
      'DNS=10.0.0.2 10.0.0.3',
    ]);
    const searched = { network: { ...network, searchDomains: ['a.example'] } };
    expect(linesAt(FILE, searched)).toEqual(['[Resolve]', 'Domains=a.example']);
    expect(want(searched).files.get(FILE)?.after).toEqual([{ do: 'restart', unit: 'systemd-resolved.service' }]);
  });
});
