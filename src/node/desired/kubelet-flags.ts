// node/desired/kubelet-flags.ts: how do kubelet's flags get through systemd unharmed? They are one variable of an environment file, which
// the unit's `$KUBELET_FLAGS` splits into words again: two readers, so two layers of quoting.

const NAME = 'KUBELET_FLAGS';

export function renderFlags(flags: ReadonlyMap<string, string>): string {
  const words = [...flags]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `--${name}=${value}`.replace(/[\\"']/g, '\\$&').replace(/[\\"$`]/g, '\\$&'));
  // A backslash at the end of a line joins it with the next, also inside quotes.
  return `# Written by headstart; changes are undone.\n${NAME}="${words.join(' \\\n  ')}"\n`;
}

/** What `renderFlags` wrote; of anything else, what can be understood. */
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
