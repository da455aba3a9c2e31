import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputText } from '../load/input.ts';
import { openInputs } from '../load/open-inputs.ts';
import { redact, redactText } from './redact.ts';

const alphabet = (letters: string, length: number) =>
  fc.string({ unit: fc.constantFrom(...letters), minLength: length, maxLength: length });
const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';
const BASE64 = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${LOWER}+/`;
const word = alphabet(LOWER, 12);

/** A text with a secret, and the part of it that must be gone after redaction. */
interface SecretSample {
  text: string;
  secret: string;
}
const planted = (write: (secret: string) => string, secret: fc.Arbitrary<string> = word): fc.Arbitrary<SecretSample> =>
  secret.map((s) => ({ text: write(s), secret: s }));

/** A block must be indented deeper than its key, which may follow other text. */
const DEEPER = ' '.repeat(40);

const CLASSES: Record<string, fc.Arbitrary<SecretSample>> = {
  'a bearer token': planted((s) => `Authorization: Bearer ${s}`),
  'a bearer token by itself': planted((s) => `sent bearer ${s}`),
  'a JSON web token': planted((s) => `eyJhbGciOi${s}.eyJzdWIi${s}.${s}`),
  'token=': planted((s) => `token=${s}`),
  '--token': planted((s) => `kubeadm join --token ${s}`),
  'a bootstrap token': planted(
    (s) => s,
    fc.tuple(alphabet(LOWER, 6), alphabet(LOWER, 16)).map(([id, secret]) => `${id}.${secret}`),
  ),
  'a key file': planted((s) => `-----BEGIN RSA PRIVATE KEY-----\n${s}\n${s}==\n-----END RSA PRIVATE KEY-----`),
  'a key file on one line': planted((s) => `-----BEGIN EC PRIVATE KEY-----\\n${s}\\n-----END EC PRIVATE KEY-----`),
  'a key file without its end': planted((s) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${s}`),
  customData: planted((s) => `"customData": "${s}"`),
  protectedSettings: planted((s) => `{"protectedSettings":"${s}"}`),
  'protected settings, in words': planted((s) => `protected_settings: ${s}`),
  userData: planted((s) => `userData=${s}`),
  'user-data': planted((s) => `user-data: ${s}`),
  'a user-data block': planted((s) => `user-data: |\n${DEEPER}#cloud-config\n${DEEPER}runcmd: [${s}]`),
  'a base64 blob': planted((s) => s, alphabet(BASE64, 240)),
  'wrapped base64': planted((s) => `\n${s}\n`, alphabet(BASE64, 76)),
  'an authorized key': planted((s) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5${s} me@here`),
  'password:': planted((s) => `password: ${s}`),
  'a pass phrase': planted((s) => `password: two words and ${s}`),
  'a quoted password': planted((s) => `'passwd': 'two words, ${s}'`),
  'a password variable': planted((s) => `DB_PASSWORD=${s}`),
  'an escaped password': planted((s) => String.raw`{\"password\":\"${s}\"}`),
  'a chpasswd list': planted((s) => `chpasswd:\n${DEEPER}list: |\n${DEEPER}  root:${s}\n${DEEPER}expire: false`),
  'a chpasswd pipe': planted((s) => `echo 'root:${s}' | chpasswd`),
  'a password hash': planted((s) => `root:$6$salt$${s}:19000:0`),
  'a connection string': planted(
    (s) => `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${s};EndpointSuffix=x`,
  ),
  'a client secret': planted((s) => `--client-secret ${s}`),
  'client-secret:': planted((s) => `client-secret: ${s}`),
  'a SAS signature': planted((s) => `https://a.blob/c?sv=2020&sig=${s}%3D&se=2027`),
  'a password in a URL': planted((s) => `https://user:${s}@registry/v2`),
  'a password in XML': planted((s) => `<ns1:UserPassword>${s}</ns1:UserPassword>`),
};

const anyClass = fc.oneof(...Object.values(CLASSES));
/** Arbitrary text, except endings that would change the meaning of the secret (a letter before `sig=`, an open quote). */
const around = fc
  .tuple(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.constantFrom('', ' ', '\n', ', ', 'x: ', '[', '{'))
  .map(([text, end]) => `${text.replace(/[\\"'\w<]+$/, '')}${end}`);

describe('redact', () => {
  for (const [name, secret] of Object.entries(CLASSES)) {
    it(`removes ${name} from any surrounding text`, () => {
      fc.assert(
        fc.property(around, secret, fc.string({ maxLength: 30 }), (before, { text, secret: hidden }, after) => {
          expect(redactText(`${before}${text}\n${after}`)).not.toContain(hidden);
        }),
      );
    });
  }

  it('removes secrets from a JSON document, which stays valid', () => {
    fc.assert(
      fc.property(around, anyClass, fc.string(), fc.jsonValue(), (before, { text, secret }, after, other) => {
        const document = JSON.stringify(
          { a: [`${before}${text}\n${after}`], other, [`k ${after}`]: { b: text } },
          null,
          1,
        );
        const redacted = redactText(document);
        expect(redacted).not.toContain(secret);
        expect(() => JSON.parse(redacted)).not.toThrow();
      }),
    );
  });

  it('removes secrets from JSON inside JSON, from JSON lines, and from the byte arrays of journalctl', () => {
    fc.assert(
      fc.property(anyClass, ({ text, secret }) => {
        const message = JSON.stringify({ MESSAGE: JSON.stringify({ Message: JSON.stringify({ x: text }) }) });
        const numbers = JSON.stringify({ MESSAGE: [...Buffer.from(`\x1b[31m${text}\x1b[0m`)], _PID: '1' });
        for (const line of redactText(`${message}\n${numbers}\n`).trimEnd().split('\n')) {
          const entry = JSON.parse(line) as { MESSAGE: string | number[] };
          const read = typeof entry.MESSAGE === 'string' ? entry.MESSAGE : Buffer.from(entry.MESSAGE).toString();
          expect(read).not.toContain(secret);
        }
      }),
    );
  });

  it('is idempotent', () => {
    const piece = fc.oneof(
      fc.string(),
      anyClass.map(({ text }) => text),
      fc.constantFrom(' ', '\n', ': ', '"', "'", '='),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const once = redactText(pieces.join(''));
        expect(redactText(once)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });

  it('never throws, and leaves bytes without secrets unchanged', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), (bytes) => {
        redact(bytes);
        redact(bytes, 'kvp');
      }),
    );
    const odd = Uint8Array.of(0x61, 0xff, 0xc3, 0x28, 0x0a, 0x0d, 0x0a, 0x00, 0xe2, 0x82, 0xac);
    expect(Buffer.from(redact(odd)).equals(odd)).toBe(true);
    expect(redactText('\ufeffplain\r\n')).toBe('\ufeffplain\r\n');
  });

  it.each(['utf16le', 'utf16le without a byte order mark', 'utf16be'])('redacts %s', (encoding) => {
    const text = `${encoding.includes('without') ? '' : '\ufeff'}{"password": "hunter22", "TaskName": "AKS.CSE"}`;
    const bytes = Buffer.from(text, 'utf16le');
    const redacted = Buffer.from(redact(encoding === 'utf16be' ? bytes.swap16() : bytes));
    const read = (encoding === 'utf16be' ? redacted.swap16() : redacted).toString('utf16le');
    expect(read).toBe(text.replace('hunter22', '[redacted]'));
  });

  it.each(['first-boot', 'clone-boot'])('keeps every event, stamp and unit of the recorded %s', async (boot) => {
    const groups = await openInputs(
      new URL(`../fixtures/boots/${boot}.tar.gz`, import.meta.url).pathname,
      () => new Uint8Array(),
    );
    const inputs = groups.flatMap((group) => group.inputs);
    const textsOf = (name: string) => {
      const text = inputText(inputs.find((input) => input.name.endsWith(name))!);
      return { text, redacted: redactText(text) };
    };
    for (const name of ['cloud-init.log', 'dmesg.txt', 'systemctl-show-manager.txt', 'boot-id.txt', 'os-release.txt']) {
      const { text, redacted } = textsOf(name);
      expect(redacted).toBe(text);
    }
    const { text, redacted } = textsOf('journal.json');
    const withoutMessage = (journal: string) =>
      journal
        .trimEnd()
        .split('\n')
        .map((line) => ({ ...(JSON.parse(line) as object), MESSAGE: '', _CMDLINE: '' }));
    expect(withoutMessage(redacted)).toEqual(withoutMessage(text));
    const units = textsOf('systemctl-show-units.txt');
    const graph = (show: string) => show.split('\n').filter((line) => !/^Exec|Credential/.test(line));
    expect(graph(units.redacted)).toEqual(graph(units.text));
  });

  it('keeps names that only look like secrets', () => {
    const lines = [
      String.raw`After=dev-disk-by\x2did-nvme\x2deui.0025388b710116a1.device systemd-ask-password-wall.path`,
      '2026-11-15 21:09:00,1 - handlers.py[DEBUG]: finish: init-network/consume-user-data: SUCCESS: reading and applying user-data',
      '2026-11-15 21:09:00,1 - handlers.py[DEBUG]: start: init-network/consume-user-data: reading and applying user-data',
      '2026-11-15 21:09:00,1 - handlers.py[DEBUG]: finish: modules-config/config-set-passwords: SUCCESS: config-set-passwords ran',
      "2026-11-15 21:09:00,1 - subp.py[DEBUG]: Running command ['chpasswd'] with allowed return codes [0]",
    ];
    for (const line of lines) expect(redactText(line)).toBe(line);
  });

  it('handles a malicious line of a megabyte', () => {
    for (const piece of [
      'password="',
      '-',
      'eyJ',
      '-----BEGIN A-----',
      '[',
      'a',
      "'",
      'chpasswd ',
      '<token>',
      '://a:',
      '--',
    ]) {
      expect(redactText(piece.repeat((1 << 20) / piece.length)).length).toBeGreaterThan(0);
    }
  });
});
