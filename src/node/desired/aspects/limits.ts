// node/desired/aspects/limits.ts: which limits do login sessions have? Units set theirs in drop-ins. Root needs separate lines, because `*`
// does not include root (limits.conf(5)).
import { type AspectFunction, HEADER, textFile } from './aspect.ts';

export const limitsAspect: AspectFunction = ({ os }) => {
  const lines = Object.entries(os.limits)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([item, { soft, hard }]) => [
      ...(soft === undefined ? [] : [`* soft ${item} ${soft}\nroot soft ${item} ${soft}\n`]),
      ...(hard === undefined ? [] : [`* hard ${item} ${hard}\nroot hard ${item} ${hard}\n`]),
    ]);
  if (lines.length === 0) return {};
  return {
    files: [
      textFile('/etc/security/limits.d/90-headstart.conf', HEADER + lines.join(''), {
        aspect: 'limits',
        class: 0,
        after: [],
      }),
    ],
  };
};
