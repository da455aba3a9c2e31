// prototype/donor/join-token.ts: how would a clone join, and is its bootstrap token still valid?

import { Forbidden } from '../../base/failures.ts';
import type { BootstrapToken, Cluster } from '../../cluster/cluster.ts';
import type { Inspection } from './inspect/inspection.ts';
import { type JoinContext, type JoinMethod, joinMethod } from './inspect/join-method.ts';

export interface CloneJoin {
  method: JoinMethod;
  /** What could not be determined about it. */
  note?: string;
}

/** Skips a token that the cluster no longer accepts and checks the credential that kubelet would try next. */
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
    if (token === 'forbidden') return { method, note: 'expiry unknown: no permission to read the token' };
    const problem = tokenProblem(token, context.nowMs);
    if (problem === undefined) return { method: withEnd(method, token) };
    reasons.push(`${file}: its bootstrap token ${tokenId} ${problem}`);
    left = withoutToken(left, tokenId);
  }
}

/** Why a clone cannot join with it; undefined if it can. */
export function tokenProblem(token: BootstrapToken | undefined, nowMs: number): string | undefined {
  if (!token) return 'does not exist in the cluster: it was deleted, usually because it expired';
  if (token.expiresMs !== undefined && token.expiresMs <= nowMs) {
    return `expired at ${new Date(token.expiresMs).toISOString()}`;
  }
  return token.isForJoining ? undefined : 'does not allow joining: usage-bootstrap-authentication is not set';
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

/** After credentials were rejected with a reason, "there is none" would be wrong. */
function unlessKnown({ reasons }: JoinMethod & { kind: 'none' }, known: readonly string[]): string[] {
  return known.length > 0 ? reasons.filter((reason) => reason.startsWith('/')) : reasons;
}
