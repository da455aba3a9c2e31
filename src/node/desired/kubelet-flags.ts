// node/desired/kubelet-flags.ts: how are kubelet's flags quoted for systemd? They are one variable of an environment file, and
// `$KUBELET_FLAGS` in the unit splits it into words: systemd unquotes twice, so flags are quoted twice.

const NAME = 'KUBELET_FLAGS';

export function renderFlags(flags: ReadonlyMap<string, string>): string {
  const words = [...flags]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `--${name}=${value}`.replace(/[\\"']/g, '\\$&').replace(/[\\"$`]/g, '\\$&'));
  // A backslash at the end of a line continues the line, also inside quotes.
  return `# Written by headstart; changes are undone.\n${NAME}="${words.join(' \\\n  ')}"\n`;
}

/** Reads the output of `renderFlags`; best effort for other text. */
export function parseFlags(text: string): Map<string, string> {
  const value = new RegExp(`^${NAME}="((?:[^"\\\\]|\\\\[\\s\\S])*)"`, 'm').exec(text)?.[1] ?? '';
  const unquoted = value.replace(/\\\n/g, '').replace(/\\([\\"$`])/g, '$1');
  const words = unquoted.match(/(?:[^\s\\]|\\.)+/g) ?? [];
  return new Map(
    words.flatMap((word): [string, string][] => {
      const match = /^--([^=]+)=(.*)$/s.exec(word.replace(/\\(.)/g, '$1'));
      return match ? [[match[1]!, match[2]!]] : [];
    }),
  );
}
