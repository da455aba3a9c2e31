// boot/load/sources/platform/guest-agent-lines.ts: when did the Azure Linux agent provision the VM and run extensions? Copies only the
// extension's name from a line, because these lines contain signed URLs and settings.
import type { Milestone, Note, Span } from '../../../model/record.ts';
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

export interface GuestAgentFacts {
  spans: Span[];
  milestones: Milestone[];
  notes: Note[];
}

export function guestAgentFacts(events: readonly TimedGuestAgentEvent[]): GuestAgentFacts {
  const inOrder = events.toSorted((a, b) => a.atUs - b.atUs);
  const milestones: Milestone[] = [];
  const first = (step: GuestAgentStep) => inOrder.find((event) => event.step === step)?.atUs;
  const startedUs = first('agent-started');
  if (startedUs !== undefined) {
    milestones.push({ name: 'guest-agent-started', atUs: startedUs, source: 'guest-agent' });
  }
  const extensionUs = first('extension-began');
  if (extensionUs !== undefined) milestones.push({ name: 'extension-started', atUs: extensionUs, source: 'extension' });

  const extensions = extensionSpans(inOrder);
  return { spans: [...agentSpans(first), ...extensions.spans], milestones, notes: extensions.notes };
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

/**
 * One span per extension, with a child span per operation. The agent prints a command's output when the command ends. Agents up to 2.2.39
 * print nothing then, but they run one operation at a time: the next one, or the end of the goal state, is the latest end.
 */
function extensionSpans(inOrder: readonly TimedGuestAgentEvent[]): { spans: Span[]; notes: Note[] } {
  const spans = new Map<string, Span>();
  const taken = new Map<string, number>();
  let open: Span | undefined;
  const close = (child: Span, atUs: number, more: Partial<Span> = {}) => {
    const parent = spans.get(child.parent!) ?? { ...child, id: child.parent!, name: nameOf(child) };
    const { parent: _, detail: __, ...whole } = { ...parent, ...more, endUs: atUs };
    spans.set(whole.id, whole);
    spans.set(child.id, { ...child, ...more, endUs: atUs });
    open = undefined;
  };
  for (const { step, extension, operation, atUs } of inOrder) {
    if (open && (step === 'goal-state-done' || step === 'extension-began')) close(open, atUs, { detail: AT_MOST });
    if (extension === undefined) continue;
    const id = `extension:${extension}`;
    if (step === 'extension-began') {
      const name = operation ?? 'run';
      open = {
        id: uniqueId(`${id}/${operation}`, taken),
        name,
        source: 'extension',
        parent: id,
        startUs: atUs,
        endUs: atUs,
      };
    } else if (open?.parent === id) {
      close(open, atUs, step === 'extension-failed' ? { result: 'fail' } : {});
    }
  }
  const notes: Note[] = open
    ? [
        {
          level: 'warning',
          text: `${open.name} of extension ${nameOf(open)} starts but does not end in the log of the guest agent: its duration is unknown`,
        },
      ]
    : [];
  return { spans: [...spans.values()], notes };
}

const AT_MOST = 'at most: the log has no end of it, only the next step of the agent';

const nameOf = (child: Span): string => child.parent!.slice('extension:'.length);
