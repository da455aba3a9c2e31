import { describe, expect, it } from 'vitest';
import { aConfig, someFacts } from '../../document/configs.testing.ts';
import { firewallSeen, metadataFirewallAspect } from './metadata-firewall.ts';

const rulesFor = (allowedCidrs: string[]) => {
  const { files, live } = metadataFirewallAspect(
    aConfig({ metadataAccess: { isBlockedForPods: true, allowedCidrs } }),
    someFacts,
  );
  return { text: String(files?.[0]?.content), print: live?.[0]?.value };
};

describe('the firewall', () => {
  it('keeps pods from the metadata address and the two ports of the wire server, and leaves its DNS', () => {
    const { text } = rulesFor([]);
    expect(text).toContain('hook forward');
    expect(text).not.toMatch(/hook (?:input|output)/);
    expect(text).toContain('ip daddr 169.254.169.254 tcp dport 80 reject');
    expect(text).toContain('ip daddr 168.63.129.16 tcp dport { 80, 32526 } reject');
    expect(text).not.toMatch(/dport .*\b53\b/);
  });

  it('lets those pods through that the document names, of either family, before it refuses', () => {
    const { text } = rulesFor(['10.1.0.0/16', 'fd00::/8']);
    const lines = text.split('\n').filter((line) => line.includes('comment'));
    expect(lines[0]).toContain('ip saddr 10.1.0.0/16 accept');
    expect(lines[1]).toContain('ip6 saddr fd00::/8 accept');
    expect(lines[2]).toContain('reject');
  });

  it('is not there when the document says so', () => {
    expect(
      metadataFirewallAspect(aConfig({ metadataAccess: { isBlockedForPods: false, allowedCidrs: [] } }), someFacts),
    ).toEqual({});
  });
});

describe('what nft shows', () => {
  /** As nft 1.0.6 lists the table it was given. */
  const listed = (text: string) =>
    text.split('\n').slice(3).join('\n').replace('priority -10', 'priority filter - 10').replaceAll('    ', '\t\t');

  it('is the fingerprint when every rule is there', () => {
    const { text, print } = rulesFor(['10.1.0.0/16']);
    expect(firewallSeen(listed(text))).toBe(print);
    expect(print).not.toBe(rulesFor([]).print);
  });

  it('is incomplete when a rule is missing, doubled or moved', () => {
    const lines = listed(rulesFor(['10.1.0.0/16']).text).split('\n');
    const index = lines.findIndex((line) => line.includes('reject'));
    const without = lines.filter((_, i) => i !== index);
    const doubled = [...lines.slice(0, index), lines[index], ...lines.slice(index)];
    const moved = lines.with(index, lines[index + 1]!).with(index + 1, lines[index]!);
    for (const changed of [without, doubled, moved]) expect(firewallSeen(changed.join('\n'))).toBe('incomplete');
    expect(firewallSeen('table inet headstart_metadata {\n}\n')).toBe('incomplete');
  });

  it('is nothing without the table', () => {
    expect(firewallSeen('')).toBeUndefined();
  });
});
