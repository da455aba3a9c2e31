// sims/azure/referee/tolerated.ts: what the real service does although its specification forbids it. Nothing else is tolerated.

export interface SpecificationFinding {
  code: string;
  paths: string[];
  message: string;
}

/** Properties that recorded answers have and the specification lacks. */
const EXTRA = ['validationOperationStatus', 'resilientVMDeletionStatus'];

export function isTolerated({ code, message }: SpecificationFinding): boolean {
  return code === 'OBJECT_ADDITIONAL_PROPERTIES' && EXTRA.some((name) => message.endsWith(`: ${name}`));
}
