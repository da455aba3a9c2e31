// sims/azure/referee/tolerated.ts: what the real service does although its specification denies it. Nothing else is let through.

export interface Finding {
  code: string;
  paths: string[];
  message: string;
}

/** Properties that recordings of the real service have in answers and the specification does not know. */
const EXTRA = ['validationOperationStatus', 'resilientVMDeletionStatus'];

export function isTolerated({ code, message }: Finding): boolean {
  return code === 'OBJECT_ADDITIONAL_PROPERTIES' && EXTRA.some((name) => message.endsWith(`: ${name}`));
}
