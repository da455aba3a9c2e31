// boot/load/sources/platform/guest-agent-lines.ts: when did the Azure Linux agent provision the VM and run extensions? Copies only the
// extension's name from a line, because these lines contain signed URLs and settings.
import type { Milestone, Span } from '../../../model/record.ts';
import { uniqueId } from '../unique-id.ts';

type GuestAgentStep =
  | 'agent-started'
  | 'provisioning-began'
  | 'provisioned'
  | 'goal-state-began'
  | 'goal-state-done'
  | 'extension-began'
  | 'extension-done'
  | 'extension-failed';

export interface GuestAgentEvent {
  step: GuestAgentStep;
  /** `Microsoft.Azure.Extensions.CustomScript-2.1.10`. */
  extension?: string;
  /** `install`, `enable`, `update` … */
  operation?: string;
}

export type TimedGuestAgentEvent = GuestAgentEvent & { atUs: number };

export function isGuestAgentLine(message: string): boolean {
  return LINE.test(message);
}

export function parseGuestAgentLine(message: string): GuestAgentEvent | undefined {
  const line = LINE.exec(message);
  if (!line) return undefined;
  const [, level, extension, text] = line as unknown as [string, string, string | undefined, string];
  if (extension !== undefined) return extensionEvent(extension, level, text);
  const found = STEPS.find(([, pattern]) => pattern.test(text));
  return found && { step: found[0] };
}

/** Timestamp, level, up to two words for thread and area, an optional `[extension-version]`, then the text. */
const LINE =
  /^\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d\.\d+Z? (INFO|WARNING|ERROR|VERBOSE) (?:(?:Daemon|ExtHandler|MonitorHandler|EnvHandler) ){0,2}(?:\[([A-Za-z][\w.]*-\d[\d.]*)\] )?(.*)$/s;

const STEPS: readonly (readonly [GuestAgentStep, RegExp])[] = [
  ['agent-started', /^(?:Azure Linux Agent (?:Version|\()|Agent WALinuxAgent-\S+ (?:launched|is running))/],
  ['provisioning-began', /^Running (?:CloudInit|default) provisioning handler/i],
  ['provisioned', /^(?:Finished provisioning|Provisioning complete|Provisioning already completed)/],
  ['goal-state-began', /^ProcessExtensions(?:In)?GoalState started/],
  ['goal-state-done', /^Process(?:Extensions)?(?:In)?GoalState completed/],
];

function extensionEvent(extension: string, level: string, text: string): GuestAgentEvent | undefined {
  const operation = /^(Install|Enable|Update|Disable|Uninstall|Reset) extension\b/.exec(text)?.[1];
  if (operation !== undefined) return { step: 'extension-began', extension, operation: operation.toLowerCase() };
  if (text.startsWith('Command: ')) return { step: 'extension-done', extension };
  return level === 'ERROR' ? { step: 'extension-failed', extension } : undefined;
}

export function guestAgentFacts(events: readonly TimedGuestAgentEvent[]): { spans: Span[]; milestones: Milestone[] } {
  const inOrder = events.toSorted((a, b) => a.atUs - b.atUs);
  const milestones: Milestone[] = [];
  const first = (step: GuestAgentStep) => inOrder.find((event) => event.step === step)?.atUs;
  const startedUs = first('agent-started');
  if (startedUs !== undefined) {
    milestones.push({ name: 'guest-agent-started', atUs: startedUs, source: 'guest-agent' });
  }
  const extensionUs = first('extension-began');
  if (extensionUs !== undefined) milestones.push({ name: 'extension-started', atUs: extensionUs, source: 'extension' });

  const spans = [...agentSpans(first), ...extensionSpans(inOrder)];
  return { spans, milestones };
}

function agentSpans(first: (step: GuestAgentStep) => number | undefined): Span[] {
  const spans: Span[] = [];
  const add = (id: string, name: string, startUs?: number, endUs?: number) => {
    if (startUs === undefined || endUs === undefined || endUs < startUs) return;
    spans.push({ id: `guest-agent:${id}`, name, source: 'guest-agent', startUs, endUs });
  };
  add('provisioning', 'provisioning', first('provisioning-began') ?? first('agent-started'), first('provisioned'));
  add('goal-state', 'first goal state', first('goal-state-began'), first('goal-state-done'));
  return spans;
}

/** One span per extension, with a child span per operation. The agent prints a command's output when the command ends. */
function extensionSpans(inOrder: readonly TimedGuestAgentEvent[]): Span[] {
  const spans = new Map<string, Span>();
  const open = new Map<string, Span>();
  const taken = new Map<string, number>();
  for (const { step, extension, operation, atUs } of inOrder) {
    if (step === 'goal-state-done') open.clear();
    if (extension === undefined) continue;
    const id = `extension:${extension}`;
    if (step === 'extension-began') {
      const child: Span = {
        id: uniqueId(`${id}/${operation}`, taken),
        name: operation ?? 'run',
        source: 'extension',
        parent: id,
        startUs: atUs,
        endUs: atUs,
      };
      if (!spans.has(id)) spans.set(id, { id, name: extension, source: 'extension', startUs: atUs, endUs: atUs });
      spans.set(child.id, child);
      open.set(id, child);
      continue;
    }
    const child = open.get(id);
    const parent = spans.get(id);
    if (!child || !parent) continue;
    child.endUs = atUs;
    parent.endUs = atUs;
    if (step === 'extension-failed') {
      child.result = 'fail';
      parent.result = 'fail';
    }
    open.delete(id);
  }
  return [...spans.values()];
}
