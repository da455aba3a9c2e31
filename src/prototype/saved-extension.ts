// prototype/saved-extension.ts: what does a saved model say about an extension? Its format is the provider's. Pure.

export interface SavedExtension {
  name: string;
  publisher: string;
  type: string;
  after: readonly string[];
  /** The settings that the cloud returns. */
  settings: Readonly<Record<string, unknown>>;
}

/** Never throws: a field that is missing or of another type is empty. Azure nests the fields; other providers do not. */
export function readSavedExtension(saved: unknown): SavedExtension {
  const top = objectOf(saved);
  const properties = { ...top, ...objectOf(top.properties) };
  const after = properties.provisionAfterExtensions ?? properties.after;
  const { script } = top; // of a local pool, which stores a script in place of settings
  return {
    name: textOf(top.name),
    publisher: textOf(properties.publisher),
    type: textOf(properties.type),
    after: Array.isArray(after) ? after.filter((one) => typeof one === 'string') : [],
    settings: { ...(script !== undefined && { script }), ...objectOf(properties.settings) },
  };
}

export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
