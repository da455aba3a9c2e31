import { describe, expect, it } from 'vitest';
import { parseInspection } from './inspection.ts';
import { joinMethod } from './join-method.ts';

const NOW_MS = Date.UTC(2026, 10, 15);
const CONTEXT = { nodeName: 'n', nowMs: NOW_MS };
const seenWith = (...lines: string[]) => parseInspection(['headstart-inspect\t1', ...lines, 'end', ''].join('\n'));

// Files of real nodes, read by the script, are in inspect-script.test.ts.
describe('joinMethod', () => {
  it('returns the credential that every instance gets, even if the donor’s own was revoked', () => {
    const file = '/run/credentials/kubelet.service/bootstrap-kubeconfig';
    const seen = parseInspection(
      `headstart-inspect\t1\ncredential\tbootstrap-kubeconfig\t${file}\ttoken\tid=abcdef\nend\n`,
    );
    const context = { nodeName: 'n', nowMs: NOW_MS };
    expect(joinMethod(seen, { ...context, givesCredentials: true })).toEqual({ kind: 'given-credential', file });
    expect(joinMethod(seen, context)).toMatchObject({ kind: 'bootstrap-token', tokenId: 'abcdef' });
  });

  it('returns metadata if a metadata unit is enabled and there is no other method', () => {
    const seen = parseInspection('headstart-inspect\t1\njoins-by-unit\theadstart-node.service\nend\n');
    expect(joinMethod(seen, { nodeName: 'n', nowMs: NOW_MS })).toEqual({
      kind: 'metadata',
      unit: 'headstart-node.service',
    });
  });

  it('prefers the kubeconfig to the bootstrap kubeconfig in any order of input', () => {
    const main = 'credential\tkubeconfig\t/k\texec\tcommand=login';
    const boot = 'credential\tbootstrap-kubeconfig\t/b\ttoken\tid=abcdef';
    for (const lines of [
      [main, boot],
      [boot, main],
    ]) {
      expect(joinMethod(seenWith(...lines), CONTEXT)).toMatchObject({ kind: 'exec-credential', file: '/k' });
    }
  });

  it('names what is missing if there is no credential', () => {
    expect(joinMethod(seenWith(), CONTEXT)).toEqual({
      kind: 'none',
      reasons: [expect.stringContaining('neither a kubeconfig')],
    });
  });
});
