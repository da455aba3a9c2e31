// node/metadata/ovf-environment.ts: what does Azure's ovf-env.xml say? Only the custom data is of interest, and only from a
// document that is whole.

export type OvfEnvironment = { customData: Uint8Array | undefined } | { problem: string };

export function readOvfEnvironment(text: string): OvfEnvironment {
  // No document type: nothing in this file may define what something else in it means.
  if (/<!DOCTYPE/i.test(text)) return { problem: 'ovf-env.xml has a document type in it' };
  if (!/<(?:\w+:)?Environment[\s>]/.test(text)) return { problem: 'ovf-env.xml is not an OVF environment' };
  if (!/<\/(?:\w+:)?Environment>\s*$/.test(text)) return { problem: 'ovf-env.xml ends in the middle' };
  const written =
    /<(?:\w+:)?CustomData(?:\s[^>]*)?>([^<]*)<\/(?:\w+:)?CustomData>/.exec(text)?.[1]?.replace(/\s+/g, '') ?? '';
  if (written === '') return { customData: undefined };
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(written) || written.length % 4 !== 0) {
    return { problem: 'the custom data in ovf-env.xml is not base64' };
  }
  return { customData: Buffer.from(written, 'base64') };
}
