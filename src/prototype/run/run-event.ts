// prototype/run/run-event.ts: which progress events does a run emit?
import type { FieldChange } from './model-diff.ts';
import type { PlannedStep } from './plan.ts';

export type RunEvent =
  | { event: 'donor'; node: string; because: string }
  | { event: 'note'; text: string }
  | { event: 'plan'; steps: PlannedStep[] }
  | { event: 'step'; step: string; title: string; attempt: number; changes?: FieldChange[] }
  | { event: 'waiting'; step: string; for: string; percent?: number }
  | { event: 'problem'; step: string; problem: string }
  | { event: 'retry'; step: string; attempt: number; inMs: number; because: string }
  | { event: 'warning'; step: string; warning: string }
  | { event: 'going-home'; because: string };

export type RunEventListener = (event: RunEvent) => void;
