// node/metadata/ovf-environment.ts: which custom data is in Azure's ovf-env.xml? A truncated file is refused.

export type OvfEnvironment = { customData: Uint8Array | undefined } | { problem: string };

export function readOvfEnvironment(text: string): OvfEnvironment {
  // Refuse a document type: its entities could change the meaning of the rest.
  if (/<!DOCTYPE/i.test(text)) return { problem: 'ovf-env.xml contains a document type' };
  if (!/<(?:\w+:)?Environment[\s>]/.test(text)) return { problem: 'ovf-env.xml is not an OVF environment' };
  if (!/<\/(?:\w+:)?Environment>\s*$/.test(text)) return { problem: 'ovf-env.xml is truncated' };
  const written =
    /<(?:\w+:)?CustomData(?:\s[^>]*)?>([^<]*)<\/(?:\w+:)?CustomData>/.exec(text)?.[1]?.replace(/\s+/g, '') ?? '';
  if (written === '') return { customData: undefined };
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(written) || written.length % 4 !== 0) {
    return { problem: 'the custom data in ovf-env.xml is not base64' };
  }
  return { customData: Buffer.from(written, 'base64') };
}
