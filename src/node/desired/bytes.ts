// node/desired/bytes.ts: how is the content of a file stored, compared and decoded?
import { createHash } from 'node:crypto';
import { Secret } from '../../base/secret.ts';
import type { Bytes } from './tree.ts';

export function contentBytes({ content, encoding }: Bytes): Buffer {
  return Buffer.from(typeof content === 'string' ? content : content.reveal(), encoding);
}

/** UTF-8 if possible, so that people can read it and it can be compared by line. */
export function toBytes(raw: Uint8Array, isSecret: boolean): Bytes {
  const text = Buffer.from(raw).toString('utf8');
  const isText = !text.includes('\u0000') && Buffer.from(text, 'utf8').equals(raw);
  const content = isText ? text : Buffer.from(raw).toString('base64');
  return { content: isSecret ? new Secret(content) : content, encoding: isText ? 'utf8' : 'base64' };
}

export function isSecret({ content }: Bytes): boolean {
  return content instanceof Secret;
}

export function sha256Of(bytes: Bytes): string {
  return createHash('sha256').update(contentBytes(bytes)).digest('hex');
}

/** Undefined if the content is not text. */
export function contentText(bytes: Bytes): string | undefined {
  const text = contentBytes(bytes).toString('utf8');
  return text.includes('\u0000') || text.includes('\ufffd') ? undefined : text;
}
