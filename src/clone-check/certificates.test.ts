// Does the check find the owner's certificates for any bytes and any line length?
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import {
  availableShells,
  CLONE_IDS,
  DONOR_NAME,
  has,
  kubeconfig,
  makeClone,
  makeStubs,
  put,
  remove,
  run,
} from './testing.ts';

const stubs = makeStubs();
const { shells } = availableShells(stubs);
afterAll(() => remove(stubs));

const COMMON_NAME = [0x06, 0x03, 0x55, 0x04, 0x03];
const STRING_TYPES = [0x0c, 0x13, 0x14, 0x16];

const subject = (name: string, stringType: number) => {
  const bytes = Buffer.from(name);
  return Buffer.from([...COMMON_NAME, stringType, bytes.length, ...bytes]);
};
const pemOf = (der: Buffer, width: number, end: string) =>
  [
    '-----BEGIN CERTIFICATE-----',
    ...(der.toString('base64').match(new RegExp(`.{1,${width}}`, 'g')) ?? []),
    '-----END CERTIFICATE-----',
    '',
  ].join(end);

const certificate = fc.record({
  before: fc.uint8Array({ minLength: 1, maxLength: 40 }),
  // A DER tag follows the name in a certificate. No tag is an @, which would continue the name.
  after: fc.uint8Array({ maxLength: 40 }).filter(([first]) => first !== 0x40),
  stringType: fc.constantFrom(...STRING_TYPES),
  name: fc.constantFrom(
    ...['system:node:', ''].flatMap((prefix) =>
      [DONOR_NAME, `${DONOR_NAME}1`, DONOR_NAME.slice(0, -1), `${DONOR_NAME}@1700000000`].map((name) => prefix + name),
    ),
  ),
  width: fc.constantFrom(64, 76, 1000),
  end: fc.constantFrom('\n', '\r\n'),
  isEmbedded: fc.boolean(),
});
type Certificate = typeof certificate extends fc.Arbitrary<infer T> ? T : never;

const isOwners = ({ name }: Certificate) => name === `system:node:${DONOR_NAME}` || name.startsWith(`${DONOR_NAME}@`);
const textOf = ({ before, after, stringType, name, width, end, isEmbedded }: Certificate) => {
  const text = pemOf(Buffer.concat([before, subject(name, stringType), after]), width, end);
  return isEmbedded ? kubeconfig(`client-certificate-data: ${Buffer.from(text).toString('base64')}`) : text;
};

describe.each(shells)('certificates, with $name', (shell) => {
  it("are removed exactly if their subject is the owner's", () => {
    fc.assert(
      fc.property(fc.array(certificate, { minLength: 20, maxLength: 40 }), (certificates) => {
        const root = makeClone(shell, CLONE_IDS[0]);
        for (const [n, one] of certificates.entries()) put(root, `/etc/kubernetes/ssl/${n}`, textOf(one));
        expect(run(shell, ['check', '--root', root])).toMatchObject({ code: 0, stderr: '' });
        const left = certificates.filter((_, n) => has(root, `/etc/kubernetes/ssl/${n}`));
        remove(root);
        expect(left).toEqual(certificates.filter((one) => !isOwners(one)));
      }),
      { numRuns: 4 },
    );
  });

  it.each([
    ['is not base64', '!!!!'],
    ['is truncated', 'AAAAA'],
    ['is empty', ''],
    ['continues after its padding', 'AA==AAAA'],
  ])('block kubelet if one %s', (_, base64) => {
    const text = `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`;
    for (const [path, content] of [
      ['/etc/kubernetes/certs/broken.crt', text],
      ['/etc/kubernetes/broken.conf', kubeconfig(`client-certificate-data: ${Buffer.from(text).toString('base64')}`)],
    ] as const) {
      const root = makeClone(shell);
      put(root, path, content);
      const ran = run(shell, ['check', '--root', root]);
      remove(root);
      expect(ran.code).toBe(1);
      expect(ran.stdout).toContain(`kubelet-credentials=failed cannot read a certificate in ${path}\n`);
    }
  });
});
