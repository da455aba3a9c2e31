import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nodeName } from './node-name.ts';

it.each(['k8s-pool1-12345678-vmss000000', 'node.example.org', 'N1'])('nodeName accepts %s', (name) => {
  expect(nodeName(name)).toBe(name);
});

it.each(['', '.', '..', '../../secrets', 'a/b', 'a%2fb', 'a\u001b[2J', '-a', 'a-', 'x'.repeat(254)])(
  'nodeName refuses %j',
  (text) => {
    expect(() => nodeName(text)).toThrow('This is not a valid node name.');
  },
);

it('every accepted name stays the same in a URL', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        nodeName(text);
      } catch {
        return;
      }
      expect(new URL(`https://server/api/v1/nodes/${text}`).pathname).toBe(`/api/v1/nodes/${text}`);
    }),
  );
});
