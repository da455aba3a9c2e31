// node/desired/aspects/metadata-firewall.ts: how are pods blocked from the instance metadata, which includes the document and credentials of
// the instance's identity? With an nftables table in the forward hook: traffic of pods with their own network namespace passes it, traffic of the
// host does not.
import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { MetadataAccess } from '../../document/config.ts';
import { type AspectFunction, HEADER, textFile } from './aspect.ts';

export const METADATA_ADDRESS = '169.254.169.254';
/** Azure's host: two of its ports serve certificates and extension settings. Port 53 is DNS and stays open. */
export const WIRE_SERVER_ADDRESS = '168.63.129.16';
const METADATA_ADDRESS_V6 = 'fd00:ec2::254';

export const TABLE = 'headstart_metadata';
export const RULES_PATH = '/etc/headstart/metadata-firewall.nft';

export const metadataFirewallAspect: AspectFunction = ({ metadataAccess }) => {
  if (!metadataAccess.isBlockedForPods) return {};
  const rules = rulesOf(metadataAccess);
  const print = fingerprint(rules);
  return {
    files: [textFile(RULES_PATH, render(rules, print), { aspect: 'metadata-firewall', class: 0, after: [] })],
    live: [{ kind: 'firewall', key: TABLE, value: print, aspect: 'metadata-firewall' }],
  };
};

/** From the output of `nft list table`: the fingerprint if all rules exist, else `incomplete`; undefined if the output is empty. */
export function firewallFingerprint(listing: string): string | undefined {
  const marks = [...listing.matchAll(/comment "headstart ([0-9a-f]{12}) (\d+)\/(\d+)"/g)];
  const [first] = marks;
  if (first === undefined) return listing.trim() === '' ? undefined : 'incomplete';
  const isWhole =
    marks.length === Number(first[3]) && marks.every((mark, i) => mark[1] === first[1] && Number(mark[2]) === i + 1);
  return isWhole ? first[1]! : 'incomplete';
}

function rulesOf({ allowedCidrs }: MetadataAccess): string[] {
  const allowed = allowedCidrs.map((cidr) => `${isIPv6(cidr.split('/')[0]!) ? 'ip6' : 'ip'} saddr ${cidr} accept`);
  return [
    ...allowed,
    // Reject, do not drop: a program that probes for metadata fails at once instead of timing out.
    `ip daddr ${METADATA_ADDRESS} tcp dport 80 reject with tcp reset`,
    `ip daddr ${WIRE_SERVER_ADDRESS} tcp dport { 80, 32526 } reject with tcp reset`,
    `ip6 daddr ${METADATA_ADDRESS_V6} tcp dport 80 reject with tcp reset`,
  ];
}

function fingerprint(rules: readonly string[]): string {
  return createHash('sha256').update(rules.join('\n')).digest('hex').slice(0, 12);
}

/** The first line creates the table if it is missing, so that the delete succeeds. nft applies the file as one transaction. */
function render(rules: readonly string[], print: string): string {
  const lines = rules.map((rule, i) => `    ${rule} comment "headstart ${print} ${i + 1}/${rules.length}"`);
  return `${HEADER}table inet ${TABLE}
delete table inet ${TABLE}
table inet ${TABLE} {
  chain forward {
    type filter hook forward priority -10; policy accept;
${lines.join('\n')}
  }
}
`;
}
