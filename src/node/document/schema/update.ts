// node/document/schema/update.ts: which fields say when a document is applied, how disruptive that may be, and when the node is healthy?
import * as z from 'zod/mini';
import * as f from './formats.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const health = z.strictObject({
  requireNodeReady: z._default(f.field('Must the node be Ready after a change?', f.bool()), true),
  readyWithin: z._default(f.field('Roll back if the node is not Ready by then.', f.span(1000, DAY)), '3min'),
  maxRestarts: z._default(
    f.field('Roll back if a unit restarts this often within restartsWithin.', f.integer(1, 100)),
    3,
  ),
  restartsWithin: z._default(
    f.field('The time in which restarts count towards maxRestarts.', f.span(1000, DAY)),
    '2min',
  ),
  commitAfter: z._default(
    f.field('After being healthy this long, the generation is the last known good one.', f.span(0, DAY)),
    '5min',
  ),
});

/** The index is the disruption class, 0 to 6. */
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
      'auto: apply at once; staged: at the next boot; manual: on command; try: at once, rolled back after tryFor unless kept.',
      z.enum(['auto', 'staged', 'manual', 'try']),
    ),
    'auto',
  ),
  tryFor: z._default(
    f.field('In mode try: time until the rollback, unless the change is kept.', f.span(1000, DAY)),
    '1min',
  ),
  maxDisruption: z._default(
    f.field('The most disruptive change that is applied without a command.', z.enum(DISRUPTIONS)),
    'runtime-restart',
  ),
  window: z.optional(
    z.strictObject({
      days: z._default(
        f.field(
          'Days of the week; default: every day.',
          z.array(z.enum(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'])).check(z.maxLength(7)),
        ),
        [],
      ),
      start: f.field('Start time in UTC, such as `02:00`.', f.timeOfDay()),
      duration: f.field('Length of the window.', f.span(MINUTE, DAY)),
    }),
  ),
  jitter: z._default(
    f.field('Nodes of a pool apply a change at different times, spread over this long.', f.span(0, DAY)),
    '0s',
  ),
  maxUnavailable: z._default(
    f.field('Nodes of a pool that may be drained at the same time; a hint for the coordinator.', f.integer(1, 10_000)),
    1,
  ),
  onDrift: z._default(
    f.field('What to do if something else changed an owned file.', z.enum(['report', 'repair'])),
    'report',
  ),
  pollEvery: z._default(f.field('How often the metadata is read.', f.span(5000, DAY)), '1min'),
  health: z.prefault(health, {}),
});
