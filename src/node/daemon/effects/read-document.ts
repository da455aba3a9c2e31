// node/daemon/effects/read-document.ts: is this document valid for this node? Saves its assignment until it is applied.
import { UserError } from '../../../base/errors.ts';
import { renderProblem } from '../../../schema/problem.ts';
import { MAX_TEXT_BYTES } from '../../document/unwrap.ts';
import type { InstanceFacts } from '../../observe/facts.ts';
import { isReasonCode } from '../../reason-codes.ts';
import { type ReadResult, readAssignment } from '../read-assignment.ts';
import type { DaemonEffect, Why } from '../state.ts';
import type { EffectContext } from './context.ts';
import { activeIfReadable } from './readable-store.ts';
import { reportUnexpected } from './unexpected.ts';

type ReadEffect = Extract<DaemonEffect, { do: 'read' }>;

export async function readDocument(context: EffectContext, { raw, allowsOlder }: ReadEffect): Promise<void> {
  const { deps, documents, dispatch } = context;
  try {
    const found = documents.unread(raw);
    const { slots, isForeign } = context.state();
    const applied = isForeign || isOfAnother(found.instance, context) ? undefined : slots.active;
    const startUs = deps.steps.nowUs();
    const result = await readAssignment(found, deps.context(), {
      nowMs: deps.clock.nowMs(),
      applied,
      allowsOlder,
      // A document from an operator is not limited by the size of the metadata.
      ...(allowsOlder && { maxBytes: MAX_TEXT_BYTES }),
    });
    deps.steps.since('read', startUs, { isOk: 'assignment' in result });
    if ('why' in result) refuse(context, result);
    else accept(context, raw, result);
  } catch (error) {
    // The image's release file or an override file cannot be read.
    if (error instanceof UserError && isReasonCode(error.code)) {
      dispatch({ is: 'refused', why: { code: error.code, detail: error.message } });
    } else reportUnexpected(context, 'work', error);
  }
}

/** In addition to the clone check: compares the VM id that the platform reports with that of the active document. */
function isOfAnother({ vmId }: InstanceFacts, { deps }: EffectContext): boolean {
  const before = activeIfReadable(deps.store)?.facts.instance.vmId;
  return vmId !== undefined && before !== undefined && vmId !== before;
}

function refuse({ logOnChange, dispatch }: EffectContext, { why, refused }: Extract<ReadResult, { why: Why }>): void {
  logOnChange('refused', 'warning', `the document is refused: ${why.detail}`, { code: why.code });
  dispatch({ is: 'refused', why, documentHash: refused.documentHash });
}

function accept(
  { logOnChange, documents, dispatch }: EffectContext,
  raw: string,
  { assignment, warnings }: Exclude<ReadResult, { why: Why }>,
): void {
  const { config, documentHash, hash } = assignment;
  for (const warning of warnings) {
    const line = renderProblem(warning);
    logOnChange(`warning ${line}`, 'warning', line, { document: documentHash.slice(0, 12) });
  }
  documents.accept(raw, assignment);
  const { pollMs, jitterMs } = config.update;
  dispatch({ is: 'read', document: { generation: config.generation, documentHash, hash, pollMs, jitterMs } });
}
