import { describe, expect, it } from 'vitest';
import { isTraced, masked, onTrace, type TraceLine, trace } from './trace.ts';

describe('trace', () => {
  it('reaches a listener until it unsubscribes, and does nothing without a listener', () => {
    const seen: TraceLine[] = [];
    trace('run', 'before');
    const stop = onTrace((line) => seen.push(line));
    expect(isTraced()).toBe(true);
    trace('run', 'qemu-img info disk.qcow2');
    stop();
    trace('run', 'after');
    expect(isTraced()).toBe(false);
    expect(seen).toEqual([{ to: 'run', text: 'qemu-img info disk.qcow2' }]);
  });

  it.each([
    ['Authorization: Bearer eyJ0.abc-_', 'Authorization: Bearer ***'],
    ['PUT https://a.blob/x?sv=2&sig=abc%2Bdef&se=1', 'PUT https://a.blob/x?sv=2&sig=***&se=1'],
    ['kubeadm join --token abcdef.0123456789abcdef', 'kubeadm join --token abcdef.***'],
    ['{"client_secret":"s3cr3t","tenant":"t"}', '{"client_secret":***,"tenant":"t"}'],
    ['password: "my pass word" x', 'password: *** x'],
    ['--from-literal=password=abc', '--from-literal=password=***'],
    ['https://u:p@ss@host/', 'https://u:***@host/'],
    ['http://user:hunter2@proxy:3128/', 'http://user:***@proxy:3128/'],
    ['token=abc', 'token=***'],
    ['DefaultEndpointsProtocol=https;AccountKey=a+b/c==;X=1', 'DefaultEndpointsProtocol=https;AccountKey=***;X=1'],
    ['client-key-data: LS0tLS1', 'client-key-data: ***'],
    ['openssl rsa -passin pass:hunter2', 'openssl rsa -passin pass:***'],
    ['got eyJhbGciOiJSUzI1NiJ9.eyJhdWQiOiJ4In0.c2ln back', 'got *** back'],
    ['-----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----', '*** (a private key)'],
    ['GET /api/v1/nodes?limit=500', 'GET /api/v1/nodes?limit=500'],
  ])('%j is shown as %j', (text, shown) => {
    expect(masked(text)).toBe(shown);
  });
});
