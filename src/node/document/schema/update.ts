// node/document/schema/update.ts: what may a document say about its own application: when, how much, and what healthy means?
import * as z from 'zod/mini';
import * as f from './formats.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const health = z.strictObject({
  requireNodeReady: z._default(f.field('Is the node to be Ready after a change?', f.bool()), true),
  readyWithin: z._default(f.field('Taken back when it is not by then.', f.span(1000, DAY)), '3min'),
  maxRestarts: z._default(f.field('Taken back when a unit restarts as often as this', f.integer(1, 100)), 3),
  restartsWithin: z._default(f.field('within this long.', f.span(1000, DAY)), '2min'),
  commitAfter: z._default(f.field('Healthy for this long = last known good.', f.span(0, DAY)), '5min'),
});

/** In the order of their classes, 0 to 6. */
export const DISRUPTIONS = [
  'none',
  'live',
  'kubelet-restart',
  'runtime-restart',
  'drain',
  'drain-and-state-removal',
  'reboot',
] as const;

export const updateSchema = z.strictObject({
  mode: z._default(
    f.field(
      'auto: at once; staged: at the next boot; manual: when told; try: at once, and back after tryFor.',
      z.enum(['auto', 'staged', 'manual', 'try']),
    ),
    'auto',
  ),
  tryFor: z._default(f.field('How long a trial lasts unless it is kept.', f.span(1000, DAY)), '1min'),
  maxDisruption: z._default(
    f.field('The most that may happen without being asked for.', z.enum(DISRUPTIONS)),
    'runtime-restart',
  ),
  window: z.optional(
    z.strictObject({
      days: z._default(
        f.field(
          'All of them unless given.',
          z.array(z.enum(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'])).check(z.maxLength(7)),
        ),
        [],
      ),
      start: f.field('UTC, `02:00`.', f.timeOfDay()),
      duration: f.field('From then on.', f.span(MINUTE, DAY)),
    }),
  ),
  jitter: z._default(f.field('Changes of a pool are spread over this long.', f.span(0, DAY)), '0s'),
  maxUnavailable: z._default(
    f.field('Nodes of a pool that may be drained at once; a hint for whoever coordinates.', f.integer(1, 10_000)),
    1,
  ),
  onDrift: z._default(f.field('When somebody else changed an owned file.', z.enum(['report', 'repair'])), 'report'),
  pollEvery: z._default(f.field('How often the metadata is looked at.', f.span(5000, DAY)), '1min'),
  health: z.prefault(health, {}),
});
