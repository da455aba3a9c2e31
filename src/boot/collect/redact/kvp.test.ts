import { expect, it } from 'vitest';
import { redact, redactText } from '../redact.ts';
import { redactKvp } from './kvp.ts';

it('redacts values and keeps the records of a pool in place', () => {
  const record = (key: string, value: string) => {
    const bytes = Buffer.alloc(2560);
    bytes.write(key, 0);
    bytes.write(value, 512);
    return bytes;
  };
  const pool = Buffer.concat([
    record('CLOUD_INIT|1794776878|start|init-local|vm|uuid', '{"name":"init-local","type":"start","msg":"ok"}'),
    record('CLOUD_INIT|1794776878|finish|x|vm|uuid', '{"name":"x","msg":"password: hunter22"}'),
    record('CLOUD_INIT|1794776878|diagnostic|log|vm|uuid', '{"name":"log","msg":"half of a sec"}'),
    record('CLOUD_INIT|1794776878|finish|y|vm|uuid|0', '{"name":"y","ts":"t","msg_i":0,"msg":"ret cut in two"}'),
    Buffer.from('CLOUD_INIT|cut'),
  ]);
  const redacted = Buffer.from(redact(pool, 'kvp'));
  expect(redacted).toHaveLength(pool.length);
  expect(redacted.subarray(0, 2560).equals(pool.subarray(0, 2560))).toBe(true);
  const values = [1, 2, 3].map((i) =>
    JSON.parse(redacted.toString('utf8', i * 2560 + 512, (i + 1) * 2560).replace(/\0+$/, '')),
  );
  expect(values.map((value) => value.msg)).toEqual(
    ['[redacted]', '[redacted]', '[redacted]'].map((m, i) => (i ? m : `password: ${m}`)),
  );
  expect(redact(redacted, 'kvp')).toEqual(redacted);
});

it('redacts keys too, and clears leftovers of older, longer values', () => {
  const bytes = Buffer.alloc(2560);
  bytes.write('token=hunter22', 0);
  bytes.write('{"msg":"ok"}', 512);
  bytes.write('rest of hunter22', 512 + 40);
  const redacted = Buffer.from(redactKvp(bytes, redactText)).toString('latin1');
  expect(redacted).not.toContain('hunter22');
  expect(redacted).toContain('{"msg":"ok"}');
});

it('truncates a key that becomes longer than its field', () => {
  const bytes = Buffer.alloc(2560, 'a');
  const redacted = Buffer.from(redactKvp(bytes, (text) => `${text}longer`));
  expect(redacted).toEqual(bytes);
});
