// node/document/schema/v1alpha1/update.ts: which v1alpha1 fields say when a document is applied, how disruptive
// that may be, and when the node is healthy?
import * as z from 'zod/mini';
import * as f from './formats.ts';

const DAY_S = 86_400;
const seconds = (minimum: number) => f.integer(minimum, DAY_S);

const health = z.strictObject({
  requireNodeReady: z._default(f.field('Is the node to be Ready after a change?', f.bool()), true),
  maxRestarts: z._default(f.field('Taken back when a unit restarts as often as this', f.integer(1, 100)), 3),
  readyWithinSeconds: z._default(f.field('Taken back when the node is not Ready by then.', seconds(1)), 180),
  restartsWithinSeconds: z._default(f.field('The time maxRestarts is counted in.', seconds(1)), 120),
  commitAfterSeconds: z._default(f.field('Healthy for this long = last known good.', seconds(0)), 300),
});

export const updateSchema = z.strictObject({
  mode: z._default(
    f.field(
      'auto: at once; staged: at the next boot; manual: when told; try: at once, and back after tryFor.',
      z.enum(['auto', 'staged', 'manual', 'try']),
    ),
    'auto',
  ),
  maxUnavailable: z._default(
    f.field('Nodes of a pool that may be drained at once; a hint for whoever coordinates.', f.integer(1, 10_000)),
    1,
  ),
  onDrift: z._default(f.field('When somebody else changed an owned file.', z.enum(['report', 'repair'])), 'report'),
  maxDisruptionClass: z._default(f.field('The most that may happen without being asked for.', f.integer(0, 6)), 3),
  tryForSeconds: z._default(f.field('How long a trial lasts unless it is kept.', seconds(1)), 60),
  jitterSeconds: z._default(f.field('Changes of a pool are spread over this long.', seconds(0)), 0),
  pollEverySeconds: z._default(f.field('How often the metadata is looked at.', seconds(5)), 60),
  health: z.prefault(health, {}),
});
