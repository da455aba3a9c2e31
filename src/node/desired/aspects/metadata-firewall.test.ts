import { describe, expect, it } from 'vitest';
import { aConfig, someFacts } from '../../document/configs.testing.ts';
import { firewallFingerprint, metadataFirewallAspect } from './metadata-firewall.ts';

const rulesFor = (allowedCidrs: string[]) => {
  const { files, live } = metadataFirewallAspect(
    aConfig({ metadataAccess: { isBlockedForPods: true, allowedCidrs } }),
    someFacts,
  );
  return { text: String(files?.[0]?.content), print: live?.[0]?.value };
};

describe('the firewall', () => {
  it('blocks the metadata address and two ports of the wire server, but not its DNS', () => {
    const { text } = rulesFor([]);
    expect(text).toContain('hook forward');
    expect(text).not.toMatch(/hook (?:input|output)/);
    expect(text).toContain('ip daddr 169.254.169.254 tcp dport 80 reject');
    expect(text).toContain('ip daddr 168.63.129.16 tcp dport { 80, 32526 } reject');
    expect(text).not.toMatch(/dport .*\b53\b/);
  });

  it('accepts the allowed address ranges, IPv4 and IPv6, before it rejects', () => {
    const { text } = rulesFor(['10.1.0.0/16', 'fd00::/8']);
    const lines = text.split('\n').filter((line) => line.includes('comment'));
    expect(lines[0]).toContain('ip saddr 10.1.0.0/16 accept');
    expect(lines[1]).toContain('ip6 saddr fd00::/8 accept');
    expect(lines[2]).toContain('reject');
  });

  it('is absent if the document does not block pods', () => {
    expect(
      metadataFirewallAspect(aConfig({ metadataAccess: { isBlockedForPods: false, allowedCidrs: [] } }), someFacts),
    ).toEqual({});
  });
});

describe('firewallFingerprint', () => {
  /** The output of nft 1.0.6 for our table. */
  const listed = (text: string) =>
    text.split('\n').slice(3).join('\n').replace('priority -10', 'priority filter - 10').replaceAll('    ', '\t\t');

  it('returns the fingerprint if all rules exist', () => {
    const { text, print } = rulesFor(['10.1.0.0/16']);
    expect(firewallFingerprint(listed(text))).toBe(print);
    expect(print).not.toBe(rulesFor([]).print);
  });

  it('returns incomplete if a rule is missing, duplicated or moved', () => {
    const lines = listed(rulesFor(['10.1.0.0/16']).text).split('\n');
    const index = lines.findIndex((line) => line.includes('reject'));
    const without = lines.filter((_, i) => i !== index);
    const doubled = [...lines.slice(0, index), lines[index], ...lines.slice(index)];
    const moved = lines.with(index, lines[index + 1]!).with(index + 1, lines[index]!);
    for (const changed of [without, doubled, moved]) expect(firewallFingerprint(changed.join('\n'))).toBe('incomplete');
    expect(firewallFingerprint('table inet headstart_metadata {\n}\n')).toBe('incomplete');
  });

  it('returns undefined without the table', () => {
    expect(firewallFingerprint('')).toBeUndefined();
  });
});
