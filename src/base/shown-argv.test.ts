import { describe, expect, it } from 'vitest';
import { shownArgv } from './shown-argv.ts';
import { masked } from './trace.ts';

describe('shownArgv', () => {
  it.each([
    [['qemu-img', 'info', '--output', 'json', '/a b/disk'], "qemu-img info --output json '/a b/disk'"],
    [['kubeadm', 'join', '--token', 's3cret', '-v', '5'], 'kubeadm join --token *** -v 5'],
    [['az', 'login', '--client-secret', 's3cret'], 'az login --client-secret ***'],
    [['az', '--password=s3cret=', 'x'], 'az --password=*** x'],
    [['env', 'AZURE_CLIENT_SECRET=s3cret', 'x'], 'env AZURE_CLIENT_SECRET=*** x'],
    [['openssl', 'rsa', '-passin', 'pass:s3cret'], 'openssl rsa -passin ***'],
    [['x', '--token', '--verbose'], 'x --token --verbose'],
    [['sh', '-c', 'set -e\nsecond line'], "sh -c 'set -e …'"],
    [['printf', '\u001b[2J'], "printf '\ufffd[2J'"],
    [['x', 'a'.repeat(400)], `x '${'a'.repeat(300)} …'`],
  ])('%j', (argv, shown) => {
    expect(shownArgv(argv)).toBe(shown);
    expect(masked(shownArgv(argv))).not.toContain('s3cret');
  });
});
