// boot/load/sources/logs/console-wrapper.ts: which text do the clouds' commands wrap? `aws ec2 get-console-output` and `gcloud compute
// instances get-serial-port-output` print JSON or YAML with the console in one field.
import { headText, type Input, memoryInput } from '../../input.ts';
import { boundedText } from '../bounded-text.ts';

/** EC2 keeps 64 KiB of the console, Compute Engine 1 MiB. */
const MAX_BYTES = 64 << 20;

export function isWrapped(input: Input): boolean {
  const head = headText(input).slice(0, 4096).trimStart();
  if (/^\{\s*"/.test(head)) return /"(?:Output|contents)"\s*:\s*"/.test(head);
  return /^[A-Za-z]\w*: /.test(head) && /^(?:Output|contents): *["'|>\w]/m.test(head);
}

/** The console's own text; undefined if there is none. */
export async function unwrapped(input: Input): Promise<Input | undefined> {
  const { text, isCut } = boundedText(input, MAX_BYTES);
  if (isCut) return undefined;
  const document = await parsed(text);
  if (document === null || typeof document !== 'object') return undefined;
  const { Output, contents } = document as Record<string, unknown>;
  const found = typeof Output === 'string' ? Output : contents;
  return typeof found === 'string' ? memoryInput(input.name, plain(found)) : undefined;
}

async function parsed(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    // YAML, or truncated.
  }
  if (text.trimStart().startsWith('{')) return undefined;
  try {
    const { parse } = await import('yaml'); // slow to load, and most inputs are not YAML
    return parse(text, { logLevel: 'silent', uniqueKeys: false, maxAliasCount: 0 });
  } catch {
    return undefined;
  }
}

/** The API of EC2 encodes the text; its command line decodes it. */
function plain(text: string): string {
  const packed = text.replace(/\s/g, '');
  const isBase64 = packed.length > 100 && packed.length % 4 === 0 && /^[A-Za-z0-9+/]+=*$/.test(packed);
  return isBase64 ? Buffer.from(packed, 'base64').toString() : text;
}
