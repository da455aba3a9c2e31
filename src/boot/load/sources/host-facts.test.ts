import { expect, test } from 'vitest';
import { memoryInput } from '../input.ts';
import { hostFactsSource } from './host-facts.ts';
import { sourceSuite } from './source.suite.ts';

test.each([
  [
    'os-release',
    'NAME="Debian GNU/Linux"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n',
    { host: { os: 'Debian GNU/Linux 12 (bookworm)' } },
  ],
  [
    'uname -a',
    'Linux node-a 6.1.0-54-cloud-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.190-1 (2026-10-16) x86_64 GNU/Linux\n',
    { host: { hostname: 'node-a', kernel: '6.1.0-54-cloud-amd64', architecture: 'x86_64' } },
  ],
  ['a boot id', '46bc72e7-a99d-4d42-9784-493dd92e074f\n', { bootId: '46bc72e7a99d4d429784493dd92e074f' }],
  [
    'systemctl --version',
    'systemd 252 (252.39-1~deb12u2)\n+PAM +AUDIT\n',
    { host: { systemdVersion: '252.39-1~deb12u2' } },
  ],
  ['cloud-init --version', '/usr/bin/cloud-init 22.4.2\n', { host: { cloudInitVersion: '22.4.2' } }],
])('reads %s', (_, text, expected) => {
  const input = memoryInput('x', text);
  expect(hostFactsSource.recognise(input)).toBeGreaterThan(0);
  expect(hostFactsSource.recognise(input)).toBeLessThan(0.7);
  expect(hostFactsSource.parse(input)).toMatchObject([expected]);
});

test.each([
  ['an id without dashes, which may be a machine id', 'fed15dab0f30423c9caa9edc59747dfb\n'],
  ['a word', 'node-a\n'],
  ['nothing', ''],
])('ignores %s', (_, text) => {
  expect(hostFactsSource.recognise(memoryInput('x', text))).toBe(0);
  expect(hostFactsSource.parse(memoryInput('x', text))).toEqual([]);
});

sourceSuite(hostFactsSource, 'ID=debian\nPRETTY_NAME="Debian"\n');
