// schema/problem.ts: what is wrong or notable at one path of a document? A remark never quotes text from the document, because the text
// may be a secret.

export interface Remark {
  /** `spec.kubelet.maxPods`; empty for the whole document. */
  path: string;
  message: string;
  /** The file, if it is not the document itself. */
  layer?: string;
}

/** `spec.kubelet.maxPods: 0 is below 1`, `the document ends in the middle`. */
export function renderProblem({ path, message, layer }: Remark): string {
  if (path === '' && layer === undefined) return ofTheWhole('the document', message);
  return [layer, path, message].filter(Boolean).join(': ');
}

/** `the document ends in the middle`, `the document: expected a map, got a list`. */
export function ofTheWhole(subject: string, message: string): string {
  return `${subject}${message.startsWith('expected ') ? ':' : ''} ${message}`;
}

/** `spec.taints[0].key`, `spec.files["/etc/motd"].mode`. */
export function renderPath(path: readonly PropertyKey[]): string {
  return path.map(renderKey).join('').replace(/^\./, '');
}

function renderKey(key: PropertyKey): string {
  if (typeof key === 'number') return `[${key}]`;
  const text = String(key);
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(text) ? `.${text}` : `[${JSON.stringify(text)}]`;
}
