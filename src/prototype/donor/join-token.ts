// prototype/donor/join-token.ts: a clone would join with a bootstrap token: does the cluster still know it?

import { Forbidden } from '../../base/failures.ts';
import type { BootstrapToken, Cluster } from '../../cluster/cluster.ts';
import type { Inspection } from './inspect/inspection.ts';
import { type JoinContext, type JoinMethod, joinMethod } from './inspect/join-method.ts';

export interface CloneJoin {
  method: JoinMethod;
  /** What could not be found out about it. */
  note?: string;
}

/** A token that the cluster no longer takes does not count, and what kubelet would try next is looked at instead. */
export async function findCloneJoin(
  cluster: Pick<Cluster, 'readBootstrapToken'>,
  inspection: Inspection,
  context: JoinContext,
  signal: AbortSignal,
): Promise<CloneJoin> {
  const reasons: string[] = [];
  for (let left = inspection; ; ) {
    const method = joinMethod(left, context);
    if (method.kind === 'none')
      return { method: { kind: 'none', reasons: [...reasons, ...unlessKnown(method, reasons)] } };
    if (method.kind !== 'bootstrap-token' || method.tokenId === undefined) return { method };
    const { tokenId, file } = method;
    const token = await lookUp(cluster, tokenId, signal);
    if (token === 'forbidden') return { method, note: 'expiry unknown: the rights do not allow to look' };
    const problem = tokenProblem(token, context.nowMs);
    if (problem === undefined) return { method: withEnd(method, token) };
    reasons.push(`${file}: its bootstrap token ${tokenId} ${problem}`);
    left = withoutToken(left, tokenId);
  }
}

/** Why a clone could not join with it; undefined when it could. */
export function tokenProblem(token: BootstrapToken | undefined, nowMs: number): string | undefined {
  if (!token) return 'is not known to the cluster: it was deleted, mostly because it had ended';
  if (token.expiresMs !== undefined && token.expiresMs <= nowMs) {
    return `ended at ${new Date(token.expiresMs).toISOString()}`;
  }
  return token.isForJoining ? undefined : 'is not for joining: usage-bootstrap-authentication is not set';
}

async function lookUp(
  cluster: Pick<Cluster, 'readBootstrapToken'>,
  id: string,
  signal: AbortSignal,
): Promise<BootstrapToken | undefined | 'forbidden'> {
  try {
    return await cluster.readBootstrapToken(id, signal);
  } catch (error) {
    if (error instanceof Forbidden) return 'forbidden';
    throw error;
  }
}

function withEnd(method: JoinMethod & { kind: 'bootstrap-token' }, token: BootstrapToken | undefined): JoinMethod {
  return { ...method, ...(token?.expiresMs !== undefined && { expiresMs: token.expiresMs }) };
}

function withoutToken(inspection: Inspection, tokenId: string): Inspection {
  const credentials = inspection.credentials.filter((seen) => seen.kind !== 'token' || seen.tokenId !== tokenId);
  return { ...inspection, credentials };
}

/** With every credential looked at and dropped, "there is none" is no news. */
function unlessKnown({ reasons }: JoinMethod & { kind: 'none' }, known: readonly string[]): string[] {
  return known.length > 0 ? reasons.filter((reason) => reason.startsWith('/')) : reasons;
}
